#include <algorithm>

#include "lifecycle/limits.h"
#include "lifecycle/validate.h"
#include "store/local/commands/handlers.h"
#include "store/local/commands/job_maker.h"
#include "store/work_call.h"

namespace baton::store::local {
namespace {

template <class Check, class Value>
std::optional<Error> error_of(Check check, const Value& value) {
  const Status checked = check(value);
  return checked ? std::nullopt : std::optional<Error>(checked.error());
}

// What a call brings, by its kind.
struct Checked {
  std::optional<Error> operator()(const StartCall& call) const {
    if (call.execution_limit && *call.execution_limit < lifecycle::kMinTimeout) {
      return Error{Code::kInvalidJob, "execution_ms must be at least 1", "execution_ms", {}};
    }
    return std::nullopt;
  }
  std::optional<Error> operator()(const HeartbeatCall& call) const {
    std::optional<Error> refused;
    if (call.message) refused = error_of(lifecycle::check_message, *call.message);
    if (!refused && call.checkpoint) {
      refused = error_of(lifecycle::check_checkpoint, *call.checkpoint);
    }
    if (!refused && call.progress && (*call.progress < 0 || *call.progress > 100)) {
      refused = Error{Code::kInvalidJob, "progress must be from 0 to 100", "progress", {}};
    }
    return refused;
  }
  std::optional<Error> operator()(const NackCall& call) const {
    auto refused = error_of(lifecycle::check_failure, borrow(call.failure));
    if (!refused && call.retry_after) {
      refused = error_of(lifecycle::check_retry_after, *call.retry_after);
    }
    return refused;
  }
  // A rejection brings no category of its own.
  std::optional<Error> operator()(const RejectCall& call) const {
    lifecycle::FailureView failure;
    failure.message = call.reason;
    return error_of(lifecycle::check_failure, failure);
  }
  std::optional<Error> operator()(const ReleaseCall& call) const {
    auto refused = error_of(lifecycle::check_reason, call.reason);
    if (!refused && call.delay) refused = error_of(lifecycle::check_release_delay, *call.delay);
    return refused;
  }
  template <class Other>
  std::optional<Error> operator()(const Other&) const {
    return std::nullopt;
  }
};

std::optional<Error> check(const WorkCall& call) {
  if (const Outcome* result = result_of(call)) {
    const Status checked = lifecycle::check_result(result->bytes, result->content_type);
    if (!checked) return checked.error();
  }
  return std::visit(Checked{}, call.call);
}

// A result may be as large as a payload of its queue, and as one of any queue without settings.
std::optional<Error> check_size(const Core& core, SlotIndex slot, const WorkCall& call) {
  const Outcome* result = result_of(call);
  if (result == nullptr || slot == kNoSlot) return std::nullopt;
  const std::size_t of_queue = core.queues[core.slots[slot].queue].settings().max_payload_bytes;
  const std::size_t most = std::max(kDefaultPayloadBytes, of_queue);
  if (result->bytes.size() <= most) return std::nullopt;
  return Error{Code::kPayloadTooLarge,
               "result must have at most " + std::to_string(most) + " bytes",
               "result",
               {}};
}

// The token of an execution that is not its job's latest one. Only a job with a committed
// execution answers differently to one who has it, so only then is it looked for.
Result<std::optional<LeaseToken>> former_token(Core& core, const FoundJob& job,
                                               const WorkCall& call) {
  const int attempt = call.execution.attempt();
  const bool is_former = attempt >= 1 && attempt < job.facts.attempt;
  if (!is_former || !lifecycle::is_committed(job.facts)) return std::optional<LeaseToken>();
  return core.token(call.execution.job(), attempt);
}

lifecycle::Call event_of(const WorkCall& call, std::optional<LeaseToken> former) {
  lifecycle::Call event;
  event.kind = call.kind();
  event.attempt = call.execution.attempt();
  event.token = call.token;
  event.former_token = former;
  if (const auto* start = part<StartCall>(call)) event.execution = start->execution_limit;
  if (const auto* beat = part<HeartbeatCall>(call)) {
    event.progress = beat->progress;
    event.brings_data = beat->message.has_value() || beat->checkpoint.has_value();
  }
  if (const auto* nack = part<NackCall>(call)) {
    event.failure = borrow(nack->failure);
    event.retry_after = nack->retry_after;
  }
  if (const auto* reject = part<RejectCall>(call)) event.failure.message = reject->reason;
  if (const auto* release = part<ReleaseCall>(call)) {
    event.delay = release->delay;
    event.failure.message = release->reason;
  }
  return event;
}

Brought brought_by(const WorkCall& call, const lifecycle::Change& change) {
  Brought brought;
  if (const auto* beat = part<HeartbeatCall>(call)) {
    if (beat->message) brought.text().progress_message = *beat->message;
    if (beat->checkpoint) brought.text().checkpoint = *beat->checkpoint;
  }
  const Outcome* result = result_of(call);
  if (change.result_stored && result != nullptr) brought.text().result = *result;
  if (const auto* spawn = part<SpawnCall>(call)) brought.text().staged = spawn->jobs;
  return brought;
}

// Everything that the commit turns into jobs.
Children all_children(const Core& core, SlotIndex slot, const WorkCall& call) {
  std::vector<std::shared_ptr<const Submission>> children = core.slots[slot].extras->staged;
  const Children& brought = children_of(call);
  children.insert(children.end(), brought.begin(), brought.end());
  return children;
}

// What is wrong with the first child that cannot be made.
std::optional<Error> refusal_of(const JobMaker& children) {
  const auto refused = children.first_refusal();
  if (!refused) return std::nullopt;
  Error error = refused->error;
  error.field = "spawn[" + std::to_string(refused->index) + "]" +
                (error.field.empty() ? "" : "." + error.field);
  return error;
}

Error too_many_children() {
  return {Code::kInvalidJob,
          "an execution may spawn at most " + std::to_string(lifecycle::kMaxBatch) + " jobs",
          "spawn",
          {}};
}

void make_children(Core& core, SlotIndex slot, JobMaker& children) {
  for (const auto& made : children.make()) {
    if (!made || made->duplicate) continue;
    core.slots.extras(slot).children.push_back(made->id);
  }
}

std::size_t stage(Core& core, SlotIndex slot, const WorkCall& call) {
  auto& staged = core.slots.extras(slot).staged;
  const Children& brought = children_of(call);
  staged.insert(staged.end(), brought.begin(), brought.end());
  return staged.size();
}

}  // namespace

Time arrival_of(const WorkCall& call, Time now) {
  const std::int64_t waited = std::max<std::int64_t>(call.waited.ms, 0);
  return Time{std::max<std::int64_t>(now.ms - waited, 1)};
}

Answer handle(Core& core, const WorkCall& call) {
  const auto job = core.find(call.execution.job(), arrival_of(call, core.now()));
  if (!job) return job.error();
  const auto former = former_token(core, *job, call);
  if (!former) return former.error();
  const auto change =
      lifecycle::decide(job->facts, event_of(call, *former), core.now(), core.random(), job->as_of);
  // What the lease and the status say comes first, whatever else is wrong with the call.
  if (!change) return change.error();
  if (const auto refused = check(call)) return *refused;
  if (const auto refused = check_size(core, job->slot, call)) return *refused;
  CallAnswer answer{call.execution.job(), change->job, change->repeated, 0};
  if (change->repeated) return answer;
  const SlotIndex slot = job->slot;
  const bool commits = change->effects.has(lifecycle::Effect::kMakeChildren);
  const bool spawns = call.kind() == CallKind::kSpawn;
  if (commits || spawns) {
    const auto submissions = all_children(core, slot, call);
    if (submissions.size() > lifecycle::kMaxBatch) return too_many_children();
    JobMaker children(core, submissions, {.parent = call.execution.job()});
    children.plan();
    if (const auto refused = refusal_of(children)) return *refused;
    // Children come before the parent's own step: once it ends, those who wait for it look at all.
    if (commits) make_children(core, slot, children);
  }
  const auto* beat = part<HeartbeatCall>(call);
  if (beat != nullptr && beat->checkpoint) {
    core.slots.extras(slot).checkpoint_bytes = static_cast<std::uint32_t>(beat->checkpoint->size());
  }
  core.apply(slot, *change, brought_by(call, *change));
  if (spawns) answer.staged = stage(core, slot, call);
  return answer;
}

}  // namespace baton::store::local
