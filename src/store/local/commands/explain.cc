#include <algorithm>
#include <array>

#include "store/local/commands/handlers.h"

namespace baton::store::local {
namespace {

constexpr std::size_t kMaxNamed = 100;

struct Reason {
  std::string_view code;
  std::string_view sentence;
};

// Why a job is where it is, when its state alone says so. In the order of JobState.
const std::array<Reason, lifecycle::kJobStateCount> kByState = {{
    {"", ""},
    {"waits_for_submission", "It is a draft: somebody must submit it."},
    {"waits_for_dependencies", "It waits for other jobs to end."},
    {"waits_for_time", "It was asked to start later."},
    {"waits_for_worker", "It is ready: the next worker that asks for it gets it."},
    {"runs", "A worker has it."},
    {"waits_for_backoff", "Its last attempt failed; it is tried again when the backoff is over."},
    {"ended_completed", "It completed."},
    {"ended_failed", "It failed, and no attempt will follow."},
    {"ended_dead_letter", "It used all its attempts or its time; somebody must look at it."},
    {"ended_cancelled", "It was cancelled."},
    {"ended_rejected", "Moderation rejected it."},
}};

Reason why_not_claimed(const Core& core, const ReadyQueue& queue) {
  if (queue.settings().paused) return {"queue_paused", "Its queue is paused."};
  const auto& limit = queue.settings().max_running;
  if (limit && queue.count(JobState::kRunning) >= *limit) {
    return {"max_running_reached", "Its queue already runs as many jobs as it may."};
  }
  if (queue.allows(core.now(), 1) == 0) {
    return {"rate_reached", "Its queue has started as many jobs as its rate allows for now."};
  }
  return kByState[static_cast<std::size_t>(JobState::kScheduled)];
}

Reason reason_for(const Core& core, const FoundJob& job) {
  const lifecycle::JobFacts& facts = job.facts;
  if (facts.state == JobState::kScheduled) {
    return why_not_claimed(core, core.queues[core.slots[job.slot].queue]);
  }
  if (facts.state == JobState::kRunning && lifecycle::is_committed(facts)) {
    return {"finalising", "Its execution has committed; it completes when the worker says done."};
  }
  return kByState[static_cast<std::size_t>(facts.state)];
}

Time until_for(const Core& core, const FoundJob& job, std::string_view code) {
  if (code == "rate_reached") {
    const ReadyQueue& queue = core.queues[core.slots[job.slot].queue];
    return lifecycle::rate_next(queue.rate, *queue.settings().rate, core.now());
  }
  return lifecycle::timers_of(job.facts).next;
}

bool is_live(const Core& core, const JobId& id) {
  const SlotIndex slot = core.slots.find(id);
  return slot != kNoSlot && !is_terminal(core.slots[slot].state);
}

// What the job waits for: unfinished dependencies, and in a FAN_IN also the unfinished children of
// those that ended. All of them are in memory.
std::vector<JobId> unfinished(const Core& core, SlotIndex slot) {
  std::vector<JobId> waits_for;
  const auto& extras = core.slots[slot].extras;
  if (!extras) return waits_for;
  for (const Wait& wait : extras->dependencies) {
    if (waits_for.size() == kMaxNamed) break;
    const bool named = std::find(waits_for.begin(), waits_for.end(), wait.job) != waits_for.end();
    if (!named && is_live(core, wait.job)) waits_for.push_back(wait.job);
  }
  return waits_for;
}

}  // namespace

Answer handle(Core& core, const ExplainJob& command) {
  const auto job = core.find(command.id);
  if (!job) return job.error();
  const Reason reason = reason_for(core, *job);
  Explanation explanation;
  explanation.id = command.id;
  explanation.state = job->facts.terms->profile->word(job->facts.state);
  explanation.canonical_state = job->facts.state;
  explanation.code = reason.code;
  explanation.sentence = reason.sentence;
  explanation.until = until_for(core, *job, reason.code);
  if (job->facts.state == JobState::kPending) {
    explanation.waits_for = unfinished(core, job->slot);
  }
  return explanation;
}

}  // namespace baton::store::local
