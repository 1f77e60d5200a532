#include <memory>

#include "lifecycle/idempotency.h"
#include "lifecycle/validate.h"
#include "store/local/commands/handlers.h"

namespace baton::store::local {
namespace {

// Decides an event that a client causes, and applies it.
template <class EventOf>
Answer operate(Core& core, const JobId& id, EventOf event_of) {
  const auto job = core.find(id);
  if (!job) return job.error();
  const lifecycle::Event event = event_of(*job);
  const auto change = lifecycle::decide(job->facts, event, core.now(), core.random(), job->as_of);
  if (!change) return change.error();
  if (job->slot != kNoSlot) core.apply(job->slot, *change);
  return JobAnswer{id, change->job};
}

// Labels are checked as if they had been submitted so.
std::optional<Error> check_labels(const PatchJob& patch) {
  Submission probe;
  probe.type = "probe";
  if (patch.tags) probe.tags = *patch.tags;
  if (patch.correlation_id) probe.correlation_id = *patch.correlation_id;
  if (patch.callback_url) probe.callback_url = *patch.callback_url;
  const auto accepted = lifecycle::accept(probe, QueueSettings{});
  if (accepted) return std::nullopt;
  return accepted.error();
}

// A queue that drains takes no new jobs, drafts neither.
std::optional<Error> refusal_by_queue(const Core& core, const JobId& id) {
  const SlotIndex slot = core.slots.find(id);
  if (slot == kNoSlot || core.slots[slot].state != JobState::kCreated) {
    return std::nullopt;
  }
  if (!core.queues[core.slots[slot].queue].settings().draining) return std::nullopt;
  return draining();
}

}  // namespace

Error draining() {
  return {Code::kConflict, "the queue drains and takes no new jobs", "queue", {}};
}

Error no_such_job() { return {Code::kNotFound, "there is no such job", {}, {}}; }

Answer handle(Core& core, const CancelJob& command) {
  if (const auto checked = lifecycle::check_reason(command.reason); !checked) {
    return checked.error();
  }
  const auto job = core.find(command.id);
  if (!job) return job.error();
  const lifecycle::Cancel event{command.force, command.reason};
  const auto change = lifecycle::decide(job->facts, event, core.now(), core.random(), job->as_of);
  if (!change) return change.error();
  Brought brought;
  const bool requested = !job->facts.cancel_requested && change->job.cancel_requested;
  if (requested && !command.reason.empty()) {
    brought.text().cancel_reason = command.reason;
    core.slots.extras(job->slot).cancel_reason = command.reason;
  }
  if (job->slot != kNoSlot) core.apply(job->slot, *change, std::move(brought));
  return JobAnswer{command.id, change->job};
}

Answer handle(Core& core, const RejectJob& command) {
  if (const auto checked = lifecycle::check_reason(command.reason); !checked) {
    return checked.error();
  }
  return operate(core, command.id,
                 [&](const FoundJob&) { return lifecycle::Reject{command.reason}; });
}

Answer handle(Core& core, const GiveBackUnread& command) {
  return operate(core, command.id,
                 [&](const FoundJob&) { return lifecycle::Unreadable{command.attempt}; });
}

Answer handle(Core& core, const SubmitDraft& command) {
  // What is due for it comes first: its time may be over.
  if (const auto job = core.find(command.id); !job) return job.error();
  if (const auto refused = refusal_by_queue(core, command.id)) return *refused;
  std::string because;
  return operate(core, command.id, [&](const FoundJob& job) {
    lifecycle::Submit submit;
    const bool waits = job.slot != kNoSlot && core.slots[job.slot].extras;
    if (waits) submit.dependencies = lifecycle::verdict_of(core.slots[job.slot].extras->groups);
    because = lifecycle::bad_ending_text(submit.dependencies);
    submit.dependencies.because = because;
    return submit;
  });
}

Answer handle(Core& core, const PatchJob& command) {
  if (const auto refused = check_labels(command)) return *refused;
  const auto job = core.find(command.id);
  if (!job) return job.error();
  lifecycle::Patch event;
  event.priority = command.priority;
  event.run_at = command.run_at;
  if (command.callback_url) event.has_callback = !command.callback_url->empty();
  event.labels = command.tags || command.correlation_id || command.callback_url;
  event.if_version = command.version;
  const auto change = lifecycle::decide(job->facts, event, core.now(), core.random(), job->as_of);
  if (!change) return change.error();
  Brought brought;
  if (command.tags) brought.text().tags = *command.tags;
  if (command.correlation_id) brought.text().correlation_id = *command.correlation_id;
  if (command.callback_url) brought.text().callback_url = *command.callback_url;
  core.apply(job->slot, *change, std::move(brought));
  return JobAnswer{command.id, change->job};
}

Answer handle(Core& core, const DeleteJob& command) {
  const auto job = core.find(command.id);
  if (!job) return job.error();
  const auto allowed =
      lifecycle::decide(job->facts, lifecycle::Delete{}, core.now(), core.random(), job->as_of);
  if (!allowed) return allowed.error();
  if (core.is_untold(command.id)) {
    return Error{Code::kConflict, "jobs that wait for it have still to be told of its end", {}, {}};
  }
  core.forget(*job, command.id);
  return Deleted{};
}

}  // namespace baton::store::local
