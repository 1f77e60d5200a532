#include "bench/server/rounds.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace baton::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

Error unexpected(const LoadConnection& connection) {
  return {Code::kStoreUnavailable,
          "the server answered " + std::to_string(connection.status()) + ": " +
              std::string(connection.body()),
          {},
          {}};
}

// The texts that stand after `key` in an answer, in their order.
std::vector<std::string_view> values_of(std::string_view json, std::string_view key) {
  std::vector<std::string_view> values;
  for (std::size_t at = json.find(key); at != std::string_view::npos; at = json.find(key, at)) {
    at += key.size();
    values.push_back(json.substr(at, json.find('"', at) - at));
  }
  return values;
}

std::string job_body(const std::string& queue) {
  return R"({"type":"bench","queue":")" + queue +
         R"(","payload":{"n":12345,"text":"a small job"}})";
}

std::string batch_body(const std::string& queue, int count) {
  std::string body = R"({"jobs":[)";
  for (int i = 0; i < count; ++i)
    body += (i > 0 ? "," : "") + job_body(queue);
  return body + "]}";
}

std::string claim_body(const std::string& queue, int max, int wait_ms) {
  return R"({"queues":[")" + queue + R"("],"worker":"bench","max":)" + std::to_string(max) +
         R"(,"wait_ms":)" + std::to_string(wait_ms) + "}";
}

// One connection on its way through a round.
class Cycle {
 public:
  Cycle(const RoundsPlan& plan, LoadConnection connection)
      : plan_(plan),
        connection_(std::move(connection)),
        submit_(plan.batch == 1 ? job_body(plan.queue) : batch_body(plan.queue, plan.batch)),
        claim_(claim_body(plan.queue, plan.batch, 1000)) {}

  int descriptor() const { return connection_.descriptor(); }
  bool ended() const { return ended_; }
  std::int64_t done() const { return jobs_; }

  Status begin() {
    step_ = Step::kSubmit;
    return connection_.post(plan_.batch == 1 ? "/v1/jobs" : "/v1/jobs/batch", submit_);
  }

  // Something arrived. Ends after the round when `last`.
  Status go_on(bool last) {
    const auto progress = connection_.read();
    if (progress == LoadConnection::Progress::kWaiting) return Ok{};
    if (progress == LoadConnection::Progress::kFailed || connection_.status() >= 300) {
      return unexpected(connection_);
    }
    if (step_ == Step::kSubmit) {
      step_ = Step::kClaim;
      return connection_.post("/v1/claims", claim_);
    }
    if (step_ == Step::kClaim) return acknowledge(last);
    jobs_ += claimed_;
    return next_round(last);
  }

 private:
  enum class Step : std::uint8_t { kSubmit, kClaim, kAck };

  Status next_round(bool last) {
    if (!last) return begin();
    ended_ = true;
    return Ok{};
  }

  Status acknowledge(bool last) {
    const auto ids = values_of(connection_.body(), R"({"execution_id":")");
    const auto tokens = values_of(connection_.body(), R"("lease_token":")");
    claimed_ = static_cast<std::int64_t>(ids.size());
    if (ids.empty()) return next_round(last);
    step_ = Step::kAck;
    if (plan_.batch == 1) {
      const std::string path = "/v1/executions/" + std::string(ids[0]) + "/ack";
      const std::string body = R"({"lease_token":")" + std::string(tokens[0]) + R"("})";
      return connection_.post(path, body);
    }
    std::string body = R"({"ops":[)";
    for (std::size_t i = 0; i < ids.size(); ++i) {
      body += i > 0 ? R"(,{"op":"ack","execution_id":")" : R"({"op":"ack","execution_id":")";
      body += ids[i];
      body += R"(","lease_token":")";
      body += tokens[i];
      body += R"("})";
    }
    return connection_.post("/v1/executions/batch", body + "]}");
  }

  const RoundsPlan& plan_;
  LoadConnection connection_;
  const std::string submit_;
  const std::string claim_;
  Step step_ = Step::kSubmit;
  std::int64_t claimed_ = 0;
  std::int64_t jobs_ = 0;
  bool ended_ = false;
};

// One connection that asks for the server's health, again and again.
class BareCycle {
 public:
  BareCycle(const RoundsPlan& plan, LoadConnection connection)
      : connection_(std::move(connection)) {
    static_cast<void>(plan);
  }

  int descriptor() const { return connection_.descriptor(); }
  bool ended() const { return ended_; }
  std::int64_t done() const { return done_; }

  Status begin() { return connection_.get("/healthz"); }

  Status go_on(bool last) {
    const auto progress = connection_.read();
    if (progress == LoadConnection::Progress::kWaiting) return Ok{};
    if (progress == LoadConnection::Progress::kFailed || connection_.status() >= 300) {
      return unexpected(connection_);
    }
    ++done_;
    ended_ = last;
    return last ? Status(Ok{}) : begin();
  }

 private:
  LoadConnection connection_;
  std::int64_t done_ = 0;
  bool ended_ = false;
};

class Poller {
 public:
  Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}
  ~Poller() { close(epoll_); }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  void add(int descriptor, std::size_t index) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }

  template <class Call>
  Status each(Call call) const {
    epoll_event events[64];
    const int count = epoll_wait(epoll_, events, 64, 1000);
    for (int i = 0; i < count; ++i) {
      if (Status status = call(events[i].data.u64); !status) return status;
    }
    return Ok{};
  }

 private:
  int epoll_;
};

// Waits for the whole answer, which must be a success.
Status await(LoadConnection& connection) {
  while (true) {
    pollfd wait{connection.descriptor(), POLLIN, 0};
    poll(&wait, 1, -1);
    const auto progress = connection.read();
    if (progress == LoadConnection::Progress::kWaiting) continue;
    if (progress == LoadConnection::Progress::kFailed || connection.status() >= 300) {
      return unexpected(connection);
    }
    return Ok{};
  }
}

// Lets every connection go through its cycle until the time is over.
template <class AnyCycle>
Result<RoundsResult> drive(const RoundsPlan& plan) {
  std::vector<AnyCycle> cycles;
  cycles.reserve(static_cast<std::size_t>(plan.connections));
  const Poller poller;
  for (int i = 0; i < plan.connections; ++i) {
    LoadConnection connection;
    if (const auto opened = connection.open(plan.address); !opened) return opened.error();
    poller.add(connection.descriptor(), cycles.size());
    cycles.emplace_back(plan, std::move(connection));
  }
  const auto start = SteadyClock::now();
  for (AnyCycle& cycle : cycles) {
    if (const auto begun = cycle.begin(); !begun) return begun.error();
  }
  std::size_t running = cycles.size();
  while (running > 0) {
    const bool last = seconds_since(start) >= plan.seconds;
    const auto status = poller.each([&](std::size_t index) {
      AnyCycle& cycle = cycles[index];
      if (cycle.ended()) return Status(Ok{});
      Status went = cycle.go_on(last);
      if (cycle.ended()) --running;
      return went;
    });
    if (!status) return status.error();
  }
  RoundsResult result;
  result.seconds = seconds_since(start);
  for (const AnyCycle& cycle : cycles)
    result.done += cycle.done();
  return result;
}

double percentile(const std::vector<double>& sorted, double share) {
  const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
  return sorted[index];
}

}  // namespace

Result<RoundsResult> run_rounds(const RoundsPlan& plan) { return drive<Cycle>(plan); }

Result<RoundsResult> run_bare_requests(const RoundsPlan& plan) { return drive<BareCycle>(plan); }

Result<Latency> measure_latency(const LatencyPlan& plan) {
  LoadConnection worker;
  LoadConnection client;
  for (LoadConnection* connection : {&worker, &client}) {
    if (const auto opened = connection->open(plan.address); !opened) return opened.error();
  }
  std::vector<double> times;
  const std::string claim = claim_body(plan.queue, 1, 60'000);
  for (int i = 0; i < plan.samples; ++i) {
    if (const auto sent = worker.post("/v1/claims", claim); !sent) return sent.error();
    // Long enough for the claim to be waiting, and for the server to have nothing to do.
    usleep(5'000);
    const auto start = SteadyClock::now();
    if (const auto sent = client.post("/v1/jobs", job_body(plan.queue)); !sent) return sent.error();
    if (const auto there = await(worker); !there) return there.error();
    times.push_back(seconds_since(start) * 1000);
    if (const auto there = await(client); !there) return there.error();
    const auto ids = values_of(worker.body(), R"({"execution_id":")");
    const auto tokens = values_of(worker.body(), R"("lease_token":")");
    if (ids.empty()) return unexpected(worker);
    const std::string path = "/v1/executions/" + std::string(ids[0]) + "/ack";
    const std::string ack = R"({"lease_token":")" + std::string(tokens[0]) + R"("})";
    if (const auto sent = worker.post(path, ack); !sent) return sent.error();
    if (const auto there = await(worker); !there) return there.error();
  }
  std::sort(times.begin(), times.end());
  return Latency{percentile(times, 0.5), percentile(times, 0.99), plan.samples};
}

Result<std::vector<LoadConnection>> open_idle_polls(const client::Address& address,
                                                    const std::string& queue, int count) {
  std::vector<LoadConnection> polls;
  polls.reserve(static_cast<std::size_t>(count));
  const std::string claim = claim_body(queue, 1, 60'000);
  for (int i = 0; i < count; ++i) {
    LoadConnection connection;
    if (const auto opened = connection.open(address); !opened) return opened.error();
    if (const auto sent = connection.post("/v1/claims", claim); !sent) return sent.error();
    polls.push_back(std::move(connection));
  }
  return polls;
}

}  // namespace baton::bench
