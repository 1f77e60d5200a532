#include "sim/world/worker.h"
#include "store/work_call.h"

#include <algorithm>

namespace baton::sim {
namespace {

constexpr int kWorkerCount = 6;
constexpr std::size_t kHeldAtMost = 6;
constexpr std::size_t kLeftBehindAtMost = 40;
constexpr int kStaysAtIt = 600;  // per mille: the same worker again, and its latest execution again

Failure some_failure(Dice& dice) {
  Failure failure;
  failure.category = static_cast<FailureCategory>(dice.between(0, 4));
  // Mostly something that a retry can mend.
  if (dice.chance(400)) failure.category = FailureCategory::kTemporary;
  if (dice.chance(900)) failure.code = "e" + std::to_string(dice.between(1, 3));
  failure.message = "it broke";
  return failure;
}

}  // namespace

Workers::Workers(Board& board, Producer& producer) : board_(board), producer_(producer) {
  for (int i = 0; i < kWorkerCount; ++i) {
    Worker worker;
    worker.name = "w" + std::to_string(i);
    workers_.push_back(worker);
  }
}

std::optional<Action> Workers::act(Dice& dice) {
  const Mix& mix = board_.mix();
  if (dice.chance(mix.late_return)) {
    if (auto late = come_back_late(dice)) return late;
  }
  if (!dice.chance(kStaysAtIt)) busy_ = dice.index(workers_.size());
  Worker& worker = workers_[busy_];
  if (board_.now < worker.stalls_until) return std::nullopt;
  if (dice.chance(mix.worker_dies)) die(worker);
  if (dice.chance(mix.worker_stalls)) {
    worker.stalls_until = board_.now + dice.between_ms(100, 8000);
    return std::nullopt;
  }
  if (worker.unanswered && dice.chance(700)) return send(worker, *worker.unanswered);
  const bool full = worker.held.size() >= kHeldAtMost;
  const bool claims = worker.held.empty() || (!full && dice.chance(mix.work_claim));
  return claims ? claim(worker, dice) : call(worker, dice);
}

Action Workers::claim(Worker& worker, Dice& dice) {
  ClaimRequest request;
  const std::int64_t queues = dice.between(1, 3);
  for (std::int64_t i = 0; i < queues; ++i)
    request.queues.push_back(dice.pick(board_.queues()).name);
  if (dice.chance(20)) request.queues.push_back("q-nowhere");
  if (dice.chance(200)) request.types = {dice.pick(board_.types())};
  if (dice.chance(50)) request.types.push_back(dice.pick(board_.types()));
  request.max = static_cast<int>(dice.between(1, 4));
  request.worker = worker.name;
  if (dice.chance(200)) request.lease = dice.between_ms(100, 3000);
  if (dice.chance(200)) request.max_lease = dice.between_ms(100, 3000);
  if (dice.chance(5)) request.lease = base::milliseconds(99);
  if (dice.chance(5)) request.max = 0;
  return {request, [this, &worker](const Answer& answer) { learn_claim(worker, answer); }};
}

void Workers::learn_claim(Worker& worker, const Answer& answer) {
  const auto* claims = std::get_if<store::ClaimAnswer>(&answer);
  if (claims == nullptr) return;
  for (const store::ClaimedJob& claimed : claims->executions) {
    Held held;
    held.execution = claimed.execution;
    held.token = claimed.facts.execution.token;
    worker.held.push_back(held);
    board_.know(claimed.job);
  }
}

CallKind Workers::choose_kind(const Held& held, Dice& dice) const {
  const Mix& mix = board_.mix();
  // Now and then a call that makes no sense at this point.
  if (dice.chance(50)) return static_cast<CallKind>(dice.between(0, 10));
  if (held.committed) {
    const CallKind kinds[] = {CallKind::kDone, CallKind::kHeartbeat, CallKind::kCommit};
    return kinds[dice.weighted({mix.work_done + 1, mix.work_heartbeat, mix.work_commit / 4})];
  }
  if (held.cancel_seen && dice.chance(500)) return CallKind::kCancelled;
  const std::vector<int> weights = {
      held.started ? 0 : mix.work_start,
      mix.work_heartbeat,
      held.started ? mix.work_commit : 0,
      mix.work_ack + 1,
      mix.work_nack,
      mix.work_reject,
      held.cancel_seen ? mix.work_cancelled : mix.work_cancelled / 10,
      mix.work_spawn,
      mix.work_release,
  };
  const CallKind kinds[] = {CallKind::kStart,     CallKind::kHeartbeat, CallKind::kCommit,
                            CallKind::kAck,       CallKind::kNack,      CallKind::kReject,
                            CallKind::kCancelled, CallKind::kSpawn,     CallKind::kRelease};
  return kinds[dice.weighted(weights)];
}

std::optional<Outcome> Workers::some_result(Dice& dice) {
  if (!dice.chance(800)) return std::nullopt;
  return Outcome{"r" + std::to_string(board_.serial()), "text/plain"};
}

Children Workers::some_children(Dice& dice) {
  Children children;
  const std::int64_t count = dice.between(1, 3);
  for (std::int64_t i = 0; i < count; ++i)
    children.push_back(std::make_shared<Submission>(producer_.make_job(dice)));
  return children;
}

// What a commit or an ack brings.
template <class One>
One Workers::some_commit(Dice& dice) {
  One commit;
  commit.result = some_result(dice);
  if (dice.chance(board_.mix().work_spawn)) commit.spawn = some_children(dice);
  return commit;
}

AnyCall Workers::make_part(CallKind kind, Dice& dice) {
  switch (kind) {
    case CallKind::kStart:
      if (!dice.chance(200)) return StartCall{};
      return StartCall{dice.between_ms(1, 4000)};
    case CallKind::kHeartbeat: {
      HeartbeatCall beat;
      if (!dice.chance(400)) return beat;
      beat.progress = static_cast<int>(dice.between(0, 100));
      if (dice.chance(10)) beat.progress = 101;
      if (dice.chance(500)) beat.message = "m" + std::to_string(board_.serial());
      if (dice.chance(500)) beat.checkpoint = "c" + std::to_string(board_.serial());
      return beat;
    }
    case CallKind::kCommit:
      return some_commit<CommitCall>(dice);
    case CallKind::kAck:
      return some_commit<AckCall>(dice);
    case CallKind::kSpawn:
      return SpawnCall{some_children(dice)};
    case CallKind::kNack: {
      NackCall nack{.failure = some_failure(dice)};
      if (dice.chance(150)) nack.retry_after = dice.between_ms(0, 4000);
      return nack;
    }
    case CallKind::kReject:
      return RejectCall{"not allowed"};
    case CallKind::kRelease:
      if (!dice.chance(300)) return ReleaseCall{};
      return ReleaseCall{dice.between_ms(0, 4000), "later"};
    default:
      return store::blank_call(kind);
  }
}

WorkCall Workers::make_call(CallKind kind, const Held& held, Dice& dice) {
  WorkCall call{.execution = held.execution, .token = held.token};
  if (dice.chance(board_.mix().wrong_token)) call.token.bytes[dice.index(16)] ^= 1;
  call.call = make_part(kind, dice);
  return call;
}

Action Workers::call(Worker& worker, Dice& dice) {
  const std::size_t last = worker.held.size() - 1;
  const Held held = worker.held[dice.chance(kStaysAtIt) ? last : dice.index(last + 1)];
  const int unread = board_.mix().work_unread;
  if (unread > 0 && dice.chance(unread)) {
    return {store::local::GiveBackUnread{held.execution.job(), held.execution.attempt()}};
  }
  return send(worker, make_call(choose_kind(held, dice), held, dice));
}

Action Workers::send(Worker& worker, const WorkCall& call) {
  worker.unanswered = call;
  return {call, [this, &worker, call](const Answer& answer) { learn_call(worker, call, answer); }};
}

void Workers::learn_call(Worker& worker, const WorkCall& call, const Answer& answer) {
  worker.unanswered.reset();
  if (const auto* error = std::get_if<Error>(&answer)) {
    const bool lost = error->code == Code::kStaleLease || error->code == Code::kAlreadyCommitted ||
                      error->code == Code::kNotFound;
    if (lost) forget(worker, call.execution);
    return;
  }
  const auto* done = std::get_if<store::CallAnswer>(&answer);
  if (done == nullptr) return;
  if (done->facts.state != JobState::kRunning) {
    forget(worker, call.execution);
    return;
  }
  for (Held& held : worker.held) {
    if (held.execution != call.execution) continue;
    if (call.kind() == CallKind::kStart) held.started = true;
    if (call.kind() == CallKind::kCommit) held.committed = true;
    held.cancel_seen = done->facts.cancel_requested;
  }
}

void Workers::forget(Worker& worker, const ExecutionId& execution) {
  for (const Held& held : worker.held) {
    if (held.execution == execution) left_behind_.push_back(held);
  }
  std::erase_if(worker.held, [&](const Held& held) { return held.execution == execution; });
  while (left_behind_.size() > kLeftBehindAtMost)
    left_behind_.erase(left_behind_.begin());
}

void Workers::die(Worker& worker) {
  left_behind_.insert(left_behind_.end(), worker.held.begin(), worker.held.end());
  worker.held.clear();
  worker.unanswered.reset();
}

std::optional<Action> Workers::come_back_late(Dice& dice) {
  if (left_behind_.empty()) return std::nullopt;
  const Held held = left_behind_[dice.index(left_behind_.size())];
  const auto kind = static_cast<CallKind>(dice.between(0, 9));
  return Action{make_call(kind, held, dice)};
}

}  // namespace baton::sim
