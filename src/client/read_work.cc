#include "client/read_work.h"

#include <optional>

#include "client/read_error.h"
#include "client/read_job.h"
#include "client/values.h"

namespace baton::client {
namespace {

constexpr Member<Claimed> kClaimed[] = {
    {"execution_id", [](Reader& r, Claimed& out) { out.execution_id = r.string(); }},
    {"lease_token", [](Reader& r, Claimed& out) { out.lease_token = r.string(); }},
    {"lease_expires_at", [](Reader& r, Claimed& out) { out.lease_expires_at = read_time(r); }},
    {"deadline_at", [](Reader& r, Claimed& out) { out.deadline_at = read_time(r); }},
    {"job", [](Reader& r, Claimed& out) { read_job(r, out.job); }},
};

// One element of "results": the call's own answer, or why it was refused.
struct CallAnswer {
  WorkAnswer answer;
  std::optional<Error> error;
};

// nack, reject and cancelled answer with the job.
void read_job_of(Reader& reader, CallAnswer& out) {
  Job job;
  read_job(reader, job);
  out.answer.job_id = job.id;
  out.answer.state = job.state;
  out.answer.canonical_state = job.canonical_state;
  out.answer.cancel_requested = job.cancel_requested;
}

constexpr Member<CallAnswer> kCallAnswer[] = {
    {"job_id", [](Reader& r, CallAnswer& out) { out.answer.job_id = r.string(); }},
    {"status",
     [](Reader& r, CallAnswer& out) { out.answer.status = read_word<ExecutionStatus>(r); }},
    {"state", [](Reader& r, CallAnswer& out) { out.answer.state = r.string(); }},
    {"canonical_state",
     [](Reader& r, CallAnswer& out) { out.answer.canonical_state = read_word<JobState>(r); }},
    {"lease_expires_at",
     [](Reader& r, CallAnswer& out) { out.answer.lease_expires_at = read_time(r); }},
    {"cancel_requested",
     [](Reader& r, CallAnswer& out) { out.answer.cancel_requested = r.boolean(); }},
    {"repeated", [](Reader& r, CallAnswer& out) { out.answer.repeated = r.boolean(); }},
    {"staged",
     [](Reader& r, CallAnswer& out) {
       out.answer.staged = static_cast<std::size_t>(std::max<std::int64_t>(r.integer(), 0));
     }},
    {"job", read_job_of},
    {"error", [](Reader& r, CallAnswer& out) { out.error = read_problem(r); }},
};

constexpr Member<ExchangeAnswer> kExchange[] = {
    {"results",
     [](Reader& r, ExchangeAnswer& out) {
       r.elements([&] {
         CallAnswer each;
         read_known<CallAnswer>(r, each, kCallAnswer);
         if (each.error) {
           out.results.emplace_back(*each.error);
         } else {
           out.results.emplace_back(each.answer);
         }
       });
     }},
    {"executions",
     [](Reader& r, ExchangeAnswer& out) { out.executions = read_list<Claimed>(r, read_claimed); }},
    {"claim_error", [](Reader& r, ExchangeAnswer& out) { out.claim_error = read_problem(r); }},
};

}  // namespace

void read_claimed(Reader& reader, Claimed& out) {
  read_known<Claimed>(reader, out, kClaimed);
  need(reader, "execution_id", !out.execution_id.empty());
  need(reader, "lease_token", !out.lease_token.empty());
  // A worker measures its lease from the moment of the claim.
  need(reader, "job.started_at", out.job.started_at.has_value());
}

Result<ExchangeAnswer> read_exchange(std::string_view text, std::size_t calls) {
  Result<ExchangeAnswer> answer = read_answer<ExchangeAnswer>(text, kExchange);
  if (answer && answer->results.size() != calls) {
    return Error{.code = Code::kStoreUnavailable,
                 .message = "the server's answer is not understood: " + std::to_string(calls) +
                            " calls have " + std::to_string(answer->results.size()) + " results"};
  }
  return answer;
}

}  // namespace baton::client
