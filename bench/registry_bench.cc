// What knowing the workers costs on the way of claims and calls.
//
//   bench_registry
//
// Claims of 10,000 distinct workers that share what they ask for, and of 10,000 that each ask for
// something else; the watcher's and the claim's part of 1,000 executions that begin and end; a
// batch of 1,000 heartbeats; a page of the list; and whether anybody asked for a type.
#include <chrono>
#include <cstdio>
#include <functional>

#include "base/clock.h"
#include "base/random.h"
#include "engine/worker_registry.h"
#include "store/local/local_store.h"

namespace baton::engine {
namespace {

constexpr int kWorkers = 10'000;
constexpr int kExecutions = 1000;

// Prints how long one of `count` takes, the best of several rounds.
void measure(const char* what, int count, const std::function<void()>& run) {
  double best = 1e300;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  std::printf("%-48s %10.0f ns\n", what, best / count);
}

std::vector<ClaimRequest> claims(bool all_different) {
  std::vector<ClaimRequest> all;
  for (int i = 0; i < kWorkers; ++i) {
    const std::string number = std::to_string(i);
    all.push_back({.queues = {all_different ? "queue-" + number : "letters"},
                   .types = {"mail", "print"},
                   .worker = "host-17.example.com-" + number});
  }
  return all;
}

struct Executions {
  std::vector<store::ClaimedJob> claimed;
  std::vector<store::Happening> begin;
  std::vector<store::Happening> end;
  std::vector<Result<store::CallAnswer>> heartbeats;

  explicit Executions(base::Random& random) {
    for (int i = 0; i < kExecutions; ++i) {
      const JobId job = store::make_job_id(random);
      lifecycle::JobFacts facts;
      facts.state = JobState::kRunning;
      facts.execution.attempt = 1;
      claimed.push_back({execution_id(job, 1), job, facts});
      heartbeats.emplace_back(store::CallAnswer{.job = job, .facts = facts});
      store::Happening one;
      one.job = job;
      one.step = {.to = JobState::kRunning, .attempt = 1};
      begin.push_back(one);
      one.step = {.from = JobState::kRunning,
                  .to = JobState::kCompleted,
                  .attempt = 1,
                  .actor = Actor::kWorker};
      end.push_back(one);
    }
  }
};

void run() {
  const base::SystemClock clock;
  const auto store = store::local::open_memory_store({.clock = &clock, .seed = 1});
  WorkerRegistry workers(*store, clock);
  const std::vector<ClaimRequest> alike = claims(false);
  measure("claim, 10,000 workers", kWorkers, [&] {
    for (const ClaimRequest& claim : alike)
      workers.asked(claim);
  });
  WorkerRegistry others(*store, clock);
  const std::vector<ClaimRequest> different = claims(true);
  measure("claim, 10,000 workers, each its own queue", kWorkers, [&] {
    for (const ClaimRequest& claim : different)
      others.asked(claim);
  });
  measure("did anybody ask, 10,000 different claims", 1, [&] { others.unasked("none", "t"); });
  base::Random random(1);
  const Executions executions(random);
  const std::string name = "host-17.example.com-1";
  measure("execution, from claim to end", kExecutions, [&] {
    workers.happened(executions.begin);
    workers.claimed(name, executions.claimed);
    workers.happened(executions.end);
  });
  workers.happened(executions.begin);
  workers.claimed(name, executions.claimed);
  measure("heartbeat, of a batch of 1,000", kExecutions,
          [&] { workers.called(executions.heartbeats); });
  measure("page of 1,000 workers of 10,000", 1, [&] { workers.list("", 1000); });
}

}  // namespace
}  // namespace baton::engine

int main() { baton::engine::run(); }
