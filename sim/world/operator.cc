#include "sim/world/operator.h"

namespace baton::sim {
namespace {

constexpr double kRates[] = {1, 2, 5, 10, 50};

void set_limits(QueueUpdate& update, Dice& dice) {
  update.max_running = dice.chance(700) ? dice.between(1, 6) : -1;
  update.max_pending = dice.chance(600) ? dice.between(5, 40) : -1;
  update.rate = RateLimit{0, 1};
  if (dice.chance(500)) {
    update.rate = RateLimit{kRates[dice.index(5)], static_cast<int>(dice.between(1, 5))};
  }
}

void set_times(QueueUpdate& update, Dice& dice) {
  Timeouts timeouts;
  // Short ones are lost all the time; with long ones the work gets as far as its commit.
  timeouts.lease = dice.chance(500) ? dice.between_ms(100, 2500) : dice.between_ms(5000, 60'000);
  timeouts.execution =
      dice.chance(500) ? dice.between_ms(500, 6000) : dice.between_ms(20'000, 120'000);
  timeouts.lifetime = dice.between_ms(30'000, 300'000);
  update.timeouts = timeouts;
  update.idempotency_window = dice.between_ms(2000, 90'000);
  update.keep_completed = dice.between_ms(1000, 90'000);
  update.keep_failed = dice.between_ms(1000, 180'000);
}

}  // namespace

QueueUpdate Operators::limits_for(const QueueInfo& queue, Dice& dice) {
  QueueUpdate update;
  update.name = queue.name;
  update.profile = queue.profile->name;
  update.max_payload_bytes = 4000;
  set_limits(update, dice);
  set_times(update, dice);
  if (!queue.profile->policy.retry_pinned) {
    Retry retry;
    if (dice.chance(500)) retry.initial = dice.between_ms(10, 1000);
    if (dice.chance(500)) retry.max = dice.between_ms(1000, 8000);
    if (dice.chance(300)) retry.max_attempts = static_cast<int>(dice.between(1, 4));
    update.retry = retry;
  }
  if (dice.chance(200)) update.timeout_is = FailureIs::kTerminal;
  if (dice.chance(200)) update.system_is = FailureIs::kTerminal;
  return update;
}

std::vector<Command> Operators::set_up(Dice& dice) {
  std::vector<Command> commands;
  for (const QueueInfo& queue : board_.queues())
    commands.emplace_back(limits_for(queue, dice));
  for (std::size_t i = 0; i < board_.accounts().size(); ++i) {
    GrantCredits grant;
    grant.account = board_.accounts()[i];
    grant.amount = dice.between(20, 200);
    // The first stays what nobody made it: a guest.
    if (i > 0) grant.tier = static_cast<Tier>(dice.between(0, 2));
    commands.emplace_back(grant);
  }
  return commands;
}

std::vector<Command> Operators::open_all() {
  std::vector<Command> commands;
  for (const QueueInfo& queue : board_.queues()) {
    QueueUpdate update;
    update.name = queue.name;
    update.paused = false;
    update.draining = false;
    update.rate = RateLimit{0, 1};
    commands.emplace_back(update);
  }
  return commands;
}

QueueUpdate Operators::some_settings(Dice& dice) {
  const QueueInfo& queue = dice.pick(board_.queues());
  QueueUpdate update;
  update.name = queue.name;
  switch (dice.between(0, 4)) {
    case 0:
      set_limits(update, dice);
      break;
    case 1:
      set_times(update, dice);
      break;
    case 2:
      // Refused as soon as the queue has records, unless it is the profile that it has.
      update.profile = dice.pick(board_.queues()).profile->name;
      if (*update.profile != queue.profile->name && dice.chance(900)) {
        update.profile = queue.profile->name;
      }
      break;
    case 3:
      update.retry = Retry{};
      update.retry->max_attempts = static_cast<int>(dice.between(1, 5));
      break;
    default:
      update.timeouts = Timeouts{};
      update.timeouts->lease = base::milliseconds(dice.chance(200) ? 99 : 800);
      break;
  }
  return update;
}

PatchJob Operators::some_patch(Dice& dice) {
  PatchJob patch;
  patch.id = board_.some_job(dice);
  if (dice.chance(800)) patch.priority = static_cast<Priority>(dice.between(0, 4));
  if (dice.chance(200))
    patch.tags = std::vector<std::pair<std::string, std::string>>{{"patched", "yes"}};
  if (dice.chance(200)) patch.correlation_id = "p" + std::to_string(board_.serial());
  if (dice.chance(200)) patch.run_at = Time{board_.now.ms + dice.between(-500, 6000)};
  if (dice.chance(50)) patch.version = 1'000'000;
  return patch;
}

GrantCredits Operators::some_grant(Dice& dice) {
  GrantCredits grant;
  grant.account = dice.pick(board_.accounts());
  grant.amount = dice.chance(50) ? -5 : dice.between(0, 60);
  if (dice.chance(200)) grant.tier = static_cast<Tier>(dice.between(0, 2));
  if (dice.chance(500)) grant.idempotency_key = "g" + std::to_string(dice.between(0, 9));
  return grant;
}

Action Operators::retry(Dice& dice) {
  const RedriveJob command{board_.some_job(dice), dice.chance(250), dice.chance(150)};
  return {command, [this](const Answer& answer) {
            const auto* made = std::get_if<store::JobAnswer>(&answer);
            if (made != nullptr) board_.know(made->id);
          }};
}

// A queue with records stays, and most have some: one that nobody submits to is made and removed
// beside them.
Action Operators::remove_queue(Dice& dice) {
  constexpr const char* kSpare = "spare";
  if (!dice.chance(400)) return {store::local::RemoveQueue{dice.pick(board_.queues()).name}};
  if (dice.chance(500)) return {store::local::RemoveQueue{kSpare}};
  QueueUpdate update;
  update.name = kSpare;
  set_limits(update, dice);
  return {update};
}

Action Operators::act(Dice& dice) {
  const Mix& mix = board_.mix();
  const std::vector<int> weights = {
      mix.operate_cancel,   mix.operate_force,    mix.operate_reject, mix.operate_draft,
      mix.operate_patch,    mix.operate_retry,    mix.operate_delete, mix.operate_pause,
      mix.operate_pause,    mix.operate_settings, mix.operate_grant,  mix.operate_remove_queue,
      mix.operate_prune + 1};
  QueueUpdate update;
  update.name = dice.pick(board_.queues()).name;
  switch (dice.weighted(weights)) {
    case 0:
      return {CancelJob{board_.some_job(dice), false, "no longer needed"}};
    case 1:
      return {CancelJob{board_.some_job(dice), true, "now"}};
    case 2:
      return {RejectJob{board_.some_job(dice), "against the rules"}};
    case 3:
      return {store::SubmitDraft{board_.some_draft(dice)}};
    case 4:
      return {some_patch(dice)};
    case 5:
      return retry(dice);
    case 6:
      return {store::DeleteJob{board_.some_job(dice)}};
    case 7:
      // Paused queues are opened again more often than not, else nothing would move.
      update.paused = dice.chance(350);
      return {update};
    case 8:
      update.draining = dice.chance(300);
      return {update};
    case 9:
      return {some_settings(dice)};
    case 10:
      return {some_grant(dice)};
    case 11:
      return remove_queue(dice);
    default:
      return {store::Prune{dice.chance(500) ? dice.between(1, 5) : 1000}};
  }
}

Action Operators::read(Dice& dice) {
  switch (dice.between(0, 4)) {
    case 0:
      return {store::RunTimers{}};
    case 1:
      return {store::local::ExplainJob{board_.some_job(dice)}};
    case 2:
      return {store::local::GetQueue{dice.pick(board_.queues()).name}};
    case 3:
      return {store::local::GetAccount{dice.pick(board_.accounts())}};
    default:
      return {store::local::GetStats{}};
  }
}

}  // namespace baton::sim
