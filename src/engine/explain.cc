#include "engine/explain.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"

namespace baton::engine {
namespace {

// In its largest unit, of which there are at least two: "90 s", "3 min".
std::string length_text(Duration length) {
  const std::int64_t seconds = length.ms / 1000;
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min";
  return std::to_string(seconds / 3600) + " h";
}

// "for 10 min", "since the start, 40 s ago".
std::string unasked_text(Duration unasked) {
  const std::string length = length_text(unasked);
  return unasked < WorkerRegistry::kRecently ? "since the start, " + length + " ago"
                                             : "for " + length;
}

void tell_whether_asked_for(const WorkerRegistry& workers, const Submission& job,
                            Explanation& explanation) {
  const std::optional<Duration> unasked = workers.unasked(job.queue, job.type);
  if (!unasked) return;
  explanation.code = "no_worker";
  explanation.sentence = "It is ready, but no worker has asked for type " + job.type +
                         " in queue " + job.queue + " " + unasked_text(*unasked) + ".";
}

// What follows when the lease ends.
std::string_view outcome_of_silence(const lifecycle::JobFacts& facts) {
  if (facts.cancel_requested) return "the job is cancelled";
  if (lifecycle::has_attempts_left(facts)) return "the job runs again";
  return "the job ends: this is its last attempt";
}

void tell_of_worker(const WorkerRegistry& workers, const store::JobRecord& record,
                    Explanation& explanation) {
  if (record.executions.empty()) return;
  const store::ExecutionRecord& execution = record.executions.back();
  const std::optional<WorkerRegistry::Heard> heard = workers.last_heard(execution.worker);
  explanation.worker = execution.worker;
  if (heard) explanation.worker_last_seen = heard->at;
  if (explanation.code != "runs") return;
  explanation.sentence =
      "Worker " + execution.worker + " has it, " +
      (heard ? "last heard " + length_text(heard->ago) + " ago" : "not heard since the start") +
      "; if it stays silent until " + base::format_time(execution.facts.lease_expires_at) + ", " +
      std::string(outcome_of_silence(record.facts)) + ".";
}

}  // namespace

void explain(store::Store& store, const WorkerRegistry& workers, const JobId& id,
             store::Done<Explanation> done) {
  const auto add = [&workers](const store::JobRecord& record, Explanation& explanation) {
    // What has changed meanwhile is explained as it was.
    if (record.facts.state != explanation.canonical_state) return;
    record.facts.state == JobState::kRunning
        ? tell_of_worker(workers, record, explanation)
        : tell_whether_asked_for(workers, *record.spec, explanation);
  };
  store.explain(id, [&store, id, add, done = std::move(done)](Result<Explanation> answer) {
    const bool ready = answer && answer->code == "waits_for_worker";
    const bool runs = answer && answer->canonical_state == JobState::kRunning;
    if (!ready && !runs) return done(std::move(answer));
    store.get(id, [add, done, explanation = *std::move(answer)](
                      const Result<std::shared_ptr<const store::JobRecord>>& record) mutable {
      if (record) add(**record, explanation);
      done(std::move(explanation));
    });
  });
}

}  // namespace baton::engine
