#include "client/deliver.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "client/answers.h"
#include "client/requests.h"

namespace baton::client {
namespace {

// Well below what a server takes in one request.
constexpr std::size_t kMaxRequest = std::size_t{8} << 20;

// The same request will be refused again, however often it is made: its content is to blame.
bool is_refusal(const Error& error) {
  switch (error.code) {
    case Code::kBadRequest:
    case Code::kNotFound:
    case Code::kConflict:
    case Code::kPayloadTooLarge:
    case Code::kUnsupportedMediaType:
    case Code::kInvalidJob:
      return true;
    default:
      return false;
  }
}

// A call, as JSON, and its place in the exchange.
struct Op {
  std::size_t place = 0;
  std::string text;
};

class Delivery {
 public:
  Delivery(Caller& caller, const Exchange& exchange, Interrupt& interrupt)
      : caller_(caller), exchange_(exchange), interrupt_(interrupt) {}

  Result<ExchangeAnswer> run() {
    encode();
    std::optional<ClaimRequest> claim = exchange_.claim;
    // A claim that waits goes alone: then it can be interrupted without a doubt about the calls.
    const bool apart = claim && claim->wait > Duration(0) && !ops_.empty();
    std::span<const Op> left = ops_;
    while (!left.empty()) {
      const std::span<const Op> group = left.first(group_size(left));
      left = left.subspan(group.size());
      const bool last = left.empty() && !apart;
      if (Status sent = send(group, last ? claim : std::nullopt); !sent) return sent.error();
    }
    if (claim && (apart || ops_.empty())) {
      Status claimed = send_claim(*claim);
      if (!claimed && ops_.empty()) return claimed.error();
      if (!claimed) answer_.claim_error = claimed.error();
    }
    return std::move(answer_);
  }

 private:
  void encode() {
    const std::size_t count = exchange_.calls.size();
    answer_.results.assign(count, WorkAnswer{});
    for (std::size_t i = 0; i < count; ++i) {
      Result<std::string> op = op_of(exchange_.calls[i]);
      if (op) {
        ops_.push_back({i, *std::move(op)});
      } else {
        answer_.results[i] = op.error();
      }
    }
  }

  static std::size_t group_size(std::span<const Op> ops) {
    std::size_t bytes = 0;
    std::size_t count = 0;
    for (const Op& op : ops) {
      bytes += op.text.size();
      if (count > 0 && bytes > kMaxRequest) break;
      ++count;
    }
    return count;
  }

  Status send(std::span<const Op> group, const std::optional<ClaimRequest>& claim) {
    std::vector<std::string> texts;
    for (const Op& op : group)
      texts.push_back(op.text);
    const Result<RawAnswer> raw = caller_.call(exchange_request(texts, claim));
    if (!raw) return take_refusal(group, claim, raw.error());
    Result<ExchangeAnswer> answer = read_exchange(raw->body, group.size());
    if (!answer) return answer.error();
    for (std::size_t i = 0; i < group.size(); ++i) {
      Result<WorkAnswer>& result = answer_.results[group[i].place] = std::move(answer->results[i]);
      // Not every answer names the job.
      if (result) result->job = exchange_.calls[group[i].place].execution.job();
    }
    take_claims(*std::move(answer));
    return Ok{};
  }

  // Finds out what the refusal is about: the claim, or which of the calls.
  Status take_refusal(std::span<const Op> group, const std::optional<ClaimRequest>& claim,
                      const Error& error) {
    if (!is_refusal(error)) return error;
    if (claim) {
      if (Status sent = send(group, std::nullopt); !sent) return sent;
      answer_.claim_error = error;
      return Ok{};
    }
    if (group.size() == 1) {
      answer_.results[group.front().place] = error;
      return Ok{};
    }
    const std::size_t half = group.size() / 2;
    if (Status sent = send(group.first(half), std::nullopt); !sent) return sent;
    return send(group.subspan(half), std::nullopt);
  }

  Status send_claim(const ClaimRequest& claim) {
    const Result<RawAnswer> raw = caller_.call(exchange_request({}, claim), &interrupt_);
    if (!raw && interrupt_.fired()) return Ok{};
    if (!raw) return raw.error();
    Result<ExchangeAnswer> answer = read_exchange(raw->body, 0);
    if (!answer) return answer.error();
    take_claims(*std::move(answer));
    return Ok{};
  }

  void take_claims(ExchangeAnswer answer) {
    std::move(answer.executions.begin(), answer.executions.end(),
              std::back_inserter(answer_.executions));
    if (answer.claim_error) answer_.claim_error = std::move(answer.claim_error);
  }

  Caller& caller_;
  const Exchange& exchange_;
  Interrupt& interrupt_;
  std::vector<Op> ops_;
  ExchangeAnswer answer_;
};

}  // namespace

Result<ExchangeAnswer> deliver(Caller& caller, const Exchange& exchange, Interrupt& interrupt) {
  return Delivery(caller, exchange, interrupt).run();
}

}  // namespace baton::client
