#include <algorithm>

#include "sim/model/verbs.h"
#include "store/work_call.h"

namespace baton::sim {
namespace {
using store::CallAnswer;

enum class Does { kStart, kExtend, kCommit, kFinish, kAbort, kStage, kRepeat, kRefuse };

struct Reaction {
  Does does = Does::kRefuse;
  Code code = Code::kStaleLease;
};

constexpr Reaction kStale{Does::kRefuse, Code::kStaleLease};
constexpr Reaction kCommittedAlready{Does::kRefuse, Code::kAlreadyCommitted};
constexpr Reaction kNotYet{Does::kRefuse, Code::kInvalidTransition};
constexpr Reaction kAgain{Does::kRepeat, {}};

// The columns of the table: LEASED, IN_PROGRESS, COMMITTED, DONE. What is over is kOver.
struct Row {
  CallKind call;
  Reaction by_status[4];
};

const Row kTable[] = {
    {CallKind::kStart, {{Does::kStart, {}}, kAgain, kCommittedAlready, kCommittedAlready}},
    {CallKind::kHeartbeat, {{Does::kExtend, {}}, {Does::kExtend, {}}, {Does::kExtend, {}}, kStale}},
    {CallKind::kCommit, {kNotYet, {Does::kCommit, {}}, kAgain, kAgain}},
    {CallKind::kDone, {kNotYet, kNotYet, {Does::kFinish, {}}, kAgain}},
    {CallKind::kAck, {{Does::kFinish, {}}, {Does::kFinish, {}}, {Does::kFinish, {}}, kAgain}},
    {CallKind::kNack,
     {{Does::kAbort, {}}, {Does::kAbort, {}}, kCommittedAlready, kCommittedAlready}},
    {CallKind::kReject,
     {{Does::kAbort, {}}, {Does::kAbort, {}}, kCommittedAlready, kCommittedAlready}},
    {CallKind::kCancelled,
     {{Does::kAbort, {}}, {Does::kAbort, {}}, kCommittedAlready, kCommittedAlready}},
    {CallKind::kRelease,
     {{Does::kAbort, {}}, {Does::kAbort, {}}, kCommittedAlready, kCommittedAlready}},
    {CallKind::kSpawn,
     {{Does::kStage, {}}, {Does::kStage, {}}, kCommittedAlready, kCommittedAlready}},
    {CallKind::kAsset,
     {{Does::kStage, {}}, {Does::kStage, {}}, kCommittedAlready, kCommittedAlready}},
};

bool finishes(CallKind call) {
  return call == CallKind::kCommit || call == CallKind::kDone || call == CallKind::kAck;
}

// What the call does to an execution whose token the caller has.
Reaction reaction_to(const ModelJob& job, std::size_t index, CallKind call) {
  const ExecutionStatus status = job.executions[index].status;
  if (status == ExecutionStatus::kAborted) {
    return finishes(call) && job.committed() ? kCommittedAlready : kStale;
  }
  for (const Row& row : kTable) {
    if (row.call == call) return row.by_status[static_cast<std::size_t>(status)];
  }
  return kStale;
}

std::optional<Duration> limit_of(const WorkCall& call) {
  const auto* start = store::part<StartCall>(call);
  return start == nullptr ? std::nullopt : start->execution_limit;
}

// Whether the call is wrong by itself, whatever it is about.
bool malformed(const WorkCall& call) {
  if (const auto* nack = store::part<NackCall>(call)) {
    return nack->failure.category == FailureCategory::kPermanent && nack->failure.code.empty();
  }
  if (const auto* beat = store::part<HeartbeatCall>(call)) {
    return beat->progress && (*beat->progress < 0 || *beat->progress > 100);
  }
  const std::optional<Duration> limit = limit_of(call);
  return limit && limit->ms < 1;
}

class CallCheck {
 public:
  CallCheck(Scene& scene, ModelJob& job, const WorkCall& call)
      : scene_(scene), job_(job), call_(call) {}

  // The call is allowed by the table; what else can refuse it.
  Refusals refusals(Does does) const {
    switch (does) {
      case Does::kStart:
        return start_refusals();
      case Does::kExtend:
        return malformed(call_) ? Refusals{Code::kInvalidJob} : Refusals{};
      case Does::kAbort:
        return abort_refusals();
      case Does::kCommit:
      case Does::kFinish:
        return job_.committed() ? Refusals{} : child_refusals();
      case Does::kStage:
        return call_.kind() == CallKind::kSpawn ? child_refusals() : Refusals{};
      case Does::kRepeat:
      case Does::kRefuse:
        return {};
    }
    return {};
  }

  void apply(Does does) {
    switch (does) {
      case Does::kStart:
        start();
        break;
      case Does::kExtend:
        extend();
        break;
      case Does::kCommit:
        commit();
        break;
      case Does::kFinish:
        if (!job_.committed()) commit();
        complete(scene_, job_, Actor::kWorker);
        break;
      case Does::kAbort:
        abort();
        break;
      case Does::kStage:
        job_.staged = children();
        break;
      case Does::kRepeat:
      case Does::kRefuse:
        break;
    }
  }

 private:
  Refusals start_refusals() const {
    const std::optional<Duration> limit = limit_of(call_);
    if (!limit) return {};
    const Time deadline = job_.last().claimed_at + *limit;
    const bool wrong = malformed(call_) || deadline > job_.last().deadline;
    return wrong ? Refusals{Code::kInvalidJob} : Refusals{};
  }

  Refusals abort_refusals() const {
    const ProfileRules& rules = *job_.promise.rules;
    if (call_.kind() == CallKind::kReject) {
      return rules.moderation ? Refusals{} : Refusals{Code::kNotInProfile};
    }
    if (call_.kind() == CallKind::kCancelled) {
      return job_.cancel_requested ? Refusals{} : Refusals{Code::kInvalidTransition};
    }
    if (call_.kind() == CallKind::kRelease) return release_refusals();
    Refusals refusals;
    if (malformed(call_)) refusals.push_back(Code::kInvalidJob);
    const auto* nack = store::part<NackCall>(call_);
    if (nack != nullptr && nack->retry_after && rules.pinned)
      refusals.push_back(Code::kNotInProfile);
    return refusals;
  }

  Refusals release_refusals() const {
    const std::optional<Duration>& wish = std::get<ReleaseCall>(call_.call).delay;
    const Duration delay = wish.value_or(Duration{});
    Refusals refusals;
    if (wish && job_.promise.rules->pinned) refusals.push_back(Code::kNotInProfile);
    if (delay.ms > 0 && scene_.now + delay >= job_.lifetime_end()) {
      refusals.push_back(Code::kInvalidJob);
    }
    return refusals;
  }

  std::vector<Spec> children() const {
    std::vector<Spec> all = job_.staged;
    const Children& brought = store::children_of(call_);
    all.insert(all.end(), brought.begin(), brought.end());
    return all;
  }

  // A child that cannot be made refuses the commit with its own code.
  Refusals child_refusals() const {
    const std::vector<Spec> all = children();
    if (all.empty()) return {};
    bring_up_to_date(scene_, all, job_.id);
    const auto found = try_batch(scene_, {all, true, false}, job_.id);
    return found.empty() ? Refusals{} : found.begin()->second;
  }

  void start() {
    ModelExecution& execution = job_.last();
    if (const std::optional<Duration> limit = limit_of(call_)) {
      execution.deadline = execution.claimed_at + *limit;
      execution.lease_end = std::min(execution.lease_end, execution.deadline);
    }
    execution.status = ExecutionStatus::kInProgress;
    execution.started_at = scene_.now;
  }

  void extend() {
    ModelExecution& execution = job_.last();
    execution.lease_end = scene_.now + execution.lease;
    // After the commit the deadline does not apply any more.
    if (!job_.committed()) execution.lease_end = std::min(execution.lease_end, execution.deadline);
    const auto* beat = store::part<HeartbeatCall>(call_);
    if (beat == nullptr) return;
    if (beat->progress) job_.progress = *beat->progress;
    if (beat->checkpoint) job_.checkpoint = *beat->checkpoint;
  }

  void commit() {
    const std::vector<Spec> specs = children();
    if (!specs.empty()) job_.children = make_children(scene_, specs, job_.id);
    ModelExecution& execution = job_.last();
    execution.status = ExecutionStatus::kCommitted;
    execution.committed_at = scene_.now;
    if (!execution.started_at.is_set()) execution.started_at = scene_.now;
    job_.staged.clear();
    const Outcome* result = store::result_of(call_);
    job_.result = result == nullptr ? std::nullopt : std::optional(*result);
    capture(scene_, job_);
  }

  void abort() {
    if (const auto* nack = store::part<NackCall>(call_)) {
      ExecutionFailure how;
      how.failure = {nack->failure.category, nack->failure.code};
      how.retry_after = nack->retry_after.value_or(Duration{});
      fail_execution(scene_, job_, how);
      return;
    }
    if (const auto* release = store::part<ReleaseCall>(call_)) {
      return release_execution(scene_, job_, release->delay.value_or(Duration{}));
    }
    const bool reject = call_.kind() == CallKind::kReject;
    abort_execution(scene_, job_);
    end_badly(scene_, job_, reject ? JobState::kRejected : JobState::kCancelled,
              reject ? Trigger::kReject : Trigger::kCancel, Actor::kWorker,
              {reject ? FailureCategory::kPermanent : FailureCategory::kCancelled, {}});
  }

  Scene& scene_;
  ModelJob& job_;
  const WorkCall& call_;
};

}  // namespace

void check_work(Scene& scene, const WorkCall& call, const Answer& answer) {
  const std::string what = std::string(name(call.kind())) + " of " + shown(call.execution.job()) +
                           "/" + shown(call.execution.attempt());
  const Error* error = error_of(answer);
  ModelJob* job = scene.state.find(call.execution.job());
  if (job == nullptr) {
    refused({Code::kNotFound}, error, what);
    return;
  }
  fire_due(scene, *job, arrival_of(scene, call));
  const auto index = static_cast<std::size_t>(call.execution.attempt()) - 1;
  const bool holds = index < job->executions.size() && job->executions[index].token == call.token;
  const Reaction reaction = holds ? reaction_to(*job, index, call.kind()) : kStale;
  CallCheck check(scene, *job, call);
  // What the lease and the status say comes first, whatever else is wrong with the call.
  const Refusals refusals =
      reaction.does == Does::kRefuse ? Refusals{reaction.code} : check.refusals(reaction.does);
  if (refused(refusals, error, what)) return;
  check.apply(reaction.does);
  const CallAnswer& done = answer_as<CallAnswer>(answer, what);
  expect_equal(what + " repeated", reaction.does == Does::kRepeat, done.repeated);
  expect_equal(what + " job", job->id, done.job);
  const bool spawns = call.kind() == CallKind::kSpawn;
  if (spawns) expect_equal(what + " staged", job->staged.size(), done.staged);
  compare_facts(*job, done.facts, what);
  if (is_due(*job, scene.now)) scene.set_overdue = true;
  settle_dependents(scene);
}

void check_unread(Scene& scene, const store::local::GiveBackUnread& command, const Answer& answer) {
  const std::string what = "giving back " + shown(command.id) + "/" + shown(command.attempt);
  const Error* error = error_of(answer);
  ModelJob* job = scene.state.find(command.id);
  if (job == nullptr) {
    refused({Code::kNotFound}, error, what);
    return;
  }
  fire_due(scene, *job);
  const bool meant = job->state == JobState::kRunning && !job->committed() &&
                     static_cast<int>(job->executions.size()) == command.attempt;
  if (refused(meant ? Refusals{} : Refusals{Code::kInvalidTransition}, error, what)) return;
  fail_execution(scene, *job,
                 {{FailureCategory::kSystem, "damaged"}, Trigger::kLeaseLost, Actor::kSystem, {}});
  compare_facts(*job, answer_as<store::JobAnswer>(answer, what).facts, what);
  settle_dependents(scene);
}

}  // namespace baton::sim
