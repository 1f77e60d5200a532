#include "sim/world/run.h"

#include <algorithm>

#include "sim/world/backups.h"
#include "sim/world/operator.h"
#include "sim/world/outages.h"
#include "sim/world/witness.h"
#include "sim/world/worker.h"

namespace baton::sim {
namespace {

constexpr std::int64_t kBegin = 1'893'456'000'000;  // 2030-01-01
constexpr int kAuditEvery = 50;
constexpr int kCommandsAtMost = 5;
constexpr int kDrainRoundsAtMost = 20'000;
constexpr std::int64_t kManyLiveJobs = 120;
constexpr Duration kLongLifetime = base::days(1);

// What the dice of a step are for.
enum Purpose : std::uint64_t {
  kWorld = 1,
  kMachine = 2,
  kTime = 3,
  kDiskSize = 5,
  kTuning = 6,
  kWaits = 7,
  kJoins = 8,
  kWay = 9
};

// The answer to one call of a batch, as if it had come alone.
Answer answer_to_call(const store::local::WorkBatchAnswer& all, std::size_t at) {
  const auto& result = all.results[at];
  return result.ok() ? Answer(*result) : Answer(result.error());
}

// Of the log: few turns fill one, so that it is used again soon.
const std::vector<std::uint64_t> kSegmentBytes = {8U << 10, 16U << 10, 64U << 10};

class World {
 public:
  explicit World(const RunPlan& plan)
      : plan_(plan),
        board_(*plan.mix),
        producer_(board_),
        workers_(board_, producer_),
        operators_(board_),
        store_(make_store(plan)),
        node_(store_.get(), tuning_of(plan)),
        witness_(plan),
        outages_(plan, board_, node_, witness_),
        backups_(plan, node_, witness_, outages_) {
    board_.now = Time{kBegin};
  }

  RunReport run() {
    Dice dice = Dice::for_step(plan_.seed, 0, kWorld);
    outages_.begin();
    turn(operators_.set_up(dice), {});
    for (int i = 1; i <= plan_.steps && !witness_.alarmed(); ++i) {
      step_ = i;
      if (plan_.skipped.contains(i)) continue;
      backups_.perhaps_take(i, [this](Dice& drawn) { act_meanwhile(drawn); });
      act();
    }
    if (!witness_.alarmed()) drain();
    RunReport report = witness_.report();
    report.step = step_;
    return report;
  }

 private:
  static std::unique_ptr<DiskStore> make_store(const RunPlan& plan) {
    if (plan.mix->disk == 0) return nullptr;
    Dice dice = Dice::for_step(plan.seed, 0, kDiskSize);
    return std::make_unique<DiskStore>(plan.seed, dice.pick(kSegmentBytes), tuning_of(plan));
  }

  static store::local::Tuning tuning_of(const RunPlan& plan) {
    store::local::Tuning tuning;
    Dice dice = Dice::for_step(plan.seed, 0, kTuning);
    // In every other run accounts leave memory as soon as they may, or nearly.
    Dice few = Dice::for_step(plan.seed, 1, kTuning);
    if (few.chance(500)) tuning.accounts_kept = static_cast<std::size_t>(few.between(0, 2));
    if (!dice.chance(plan.mix->small_turns)) return tuning;
    tuning.timers_per_turn = static_cast<std::size_t>(dice.between(1, 3));
    tuning.dependents_per_turn = static_cast<std::size_t>(dice.between(1, 3));
    tuning.timers_moved_per_turn = static_cast<std::size_t>(dice.between(8, 64));
    tuning.leases_per_turn = static_cast<std::size_t>(dice.between(1, 3));
    tuning.most_unprojected = static_cast<std::size_t>(dice.between(20, 200));
    return tuning;
  }

  // ---- Time ------------------------------------------------------------------------------------

  void pass_time() {
    Dice dice = Dice::for_step(plan_.seed, static_cast<std::uint64_t>(step_), kTime);
    const Mix& mix = *plan_.mix;
    const Time due = node_.next_due();
    const auto to = [&](std::int64_t ms) { board_.now.ms = std::max(board_.now.ms, ms); };
    switch (dice.weighted({mix.time_stands + 1, mix.time_short, mix.time_medium, mix.time_to_due,
                           mix.time_near_due, mix.time_long})) {
      case 0:
        break;
      case 1:
        to(board_.now.ms + dice.between(1, 50));
        break;
      case 2:
        to(board_.now.ms + dice.between(50, 2000));
        break;
      case 3:
        if (due.is_set()) to(due.ms);
        break;
      case 4:
        if (due.is_set()) to(due.ms + (dice.chance(500) ? 1 : -1));
        break;
      default:
        to(board_.now.ms + dice.between(5'000, 180'000));
        break;
    }
  }

  // ---- Steps -----------------------------------------------------------------------------------

  std::optional<Action> some_action(Dice& dice) {
    const Mix& mix = *plan_.mix;
    const bool crowded = board_.live > kManyLiveJobs;
    switch (dice.weighted({crowded ? mix.producers / 10 : mix.producers, mix.workers + 1,
                           mix.operators, mix.readers})) {
      case 0:
        return producer_.act(dice);
      case 1:
        return workers_.act(dice);
      case 2:
        return operators_.act(dice);
      default:
        return operators_.read(dice);
    }
  }

  void act() {
    const Mix& mix = *plan_.mix;
    pass_time();
    Dice dice = Dice::for_step(plan_.seed, static_cast<std::uint64_t>(step_), kWorld);
    std::vector<Command> commands;
    std::vector<Action> actions;
    do {
      std::optional<Action> action = some_action(dice);
      if (!action) continue;
      if (dice.chance(mix.answer_lost)) action->learn = [](const Answer&) {};
      commands.push_back(action->command);
      actions.push_back(*action);
      if (dice.chance(mix.command_twice)) {
        commands.push_back(action->command);
        actions.push_back(Action{action->command});
      }
    } while (commands.size() < kCommandsAtMost && dice.chance(mix.more_commands));
    let_calls_wait(commands);
    join_calls(commands, actions);
    turn(std::move(commands), actions);
  }

  // One command by itself, while something else is going on.
  void act_meanwhile(Dice& dice) {
    if (const std::optional<Action> action = some_action(dice)) turn({action->command}, {*action});
  }

  // Some calls arrived a while ago, often just before something fell due.
  void let_calls_wait(std::vector<Command>& commands) {
    Dice dice = Dice::for_step(plan_.seed, static_cast<std::uint64_t>(step_), kWaits);
    for (Command& command : commands) {
      auto* call = std::get_if<WorkCall>(&command);
      if (call == nullptr || !dice.chance(plan_.mix->call_waits)) continue;
      const std::int64_t most[] = {20, 500, 5'000};
      call->waited = dice.between_ms(1, most[dice.index(3)]);
      const auto job = node_.rows().find(call->execution.job());
      if (!job || !dice.chance(500)) continue;
      const Time lease_end = job->facts.execution.lease_expires_at;
      if (lease_end < board_.now) call->waited = board_.now - lease_end + dice.between_ms(0, 2);
    }
    const bool held = dice.chance(plan_.mix->leases_held);
    if (!held) lease_horizon_ = board_.now;
  }

  // Calls come in batches now and then: each with the one after it, if there is one.
  void join_calls(std::vector<Command>& commands, std::vector<Action>& actions) {
    Dice dice = Dice::for_step(plan_.seed, static_cast<std::uint64_t>(step_), kJoins);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const auto* call = std::get_if<WorkCall>(&commands[i]);
      if (call == nullptr || !dice.chance(plan_.mix->work_batch)) continue;
      store::local::WorkBatch batch{{*call}};
      std::vector<Action> joined = {actions[i]};
      const auto* next =
          i + 1 < commands.size() ? std::get_if<WorkCall>(&commands[i + 1]) : nullptr;
      if (next != nullptr) {
        batch.calls.push_back(*next);
        joined.push_back(actions[i + 1]);
        commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        actions.erase(actions.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
      commands[i] = batch;
      actions[i] = Action{batch, [joined](const Answer& answer) {
                            const auto* all = std::get_if<store::local::WorkBatchAnswer>(&answer);
                            for (std::size_t k = 0; all != nullptr && k < joined.size(); ++k)
                              joined[k].learn(answer_to_call(*all, k));
                          }};
    }
  }

  // One turn of the machine, looked at from all sides. nullopt when it was not kept, or nobody
  // knows: then the answers reach nobody.
  std::optional<Turn> turn(std::vector<Command> commands, const std::vector<Action>& actions) {
    if (plan_.progress != nullptr) *plan_.progress = step_;
    if (witness_.alarmed()) return std::nullopt;
    ++turns_;
    Dice dice = Dice::for_step(plan_.seed, static_cast<std::uint64_t>(turns_), kMachine);
    base::Random random = dice.random();
    if (draining_) lease_horizon_ = board_.now;
    Dice way = Dice::for_step(plan_.seed, static_cast<std::uint64_t>(turns_), kWay);
    const bool gives_way = !draining_ && (node_.is_behind() || way.chance(plan_.mix->gives_way));
    Step step{step_, board_.now, std::move(commands), false, node_.not_listed(), {}};
    step.lease_horizon = lease_horizon_;
    step.background = gives_way ? Background::kGivesWay : Background::kGoesOn;
    outages_.before_turn();
    step.turn = node_.decide(step.commands, board_.now, random, lease_horizon_, step.background);
    if (const auto kept = node_.keep(board_.now, step.turn); !kept) {
      outages_.turn_failed(std::move(step), kept.error());
      // A machine that was opened again has ended what was over.
      lease_horizon_ = board_.now;
      board_.live = node_.live_jobs();
      return std::nullopt;
    }
    outages_.turn_kept();
    witness_.see(step, node_);
    if (turns_ % kAuditEvery == 0) look_at_all(step);
    for (std::size_t i = 0; i < actions.size() && !witness_.alarmed(); ++i)
      actions[i].learn(step.turn.answers[i]);
    if (draining_) check_ends(step.turn);
    outages_.after_turn(step_);
    lease_horizon_ = std::max(lease_horizon_, outages_.opened_at());
    board_.live = node_.live_jobs();
    return std::move(step.turn);
  }

  void look_at_all(const Step& step) {
    witness_.look_at_all(step, node_);
    outages_.compare_now();
  }

  // ---- The end ---------------------------------------------------------------------------------

  // Claims and acknowledges whatever there is. Gives how many jobs it got.
  std::size_t work_off() {
    ClaimRequest request;
    for (const QueueInfo& queue : board_.queues())
      request.queues.push_back(queue.name);
    request.max = 1000;
    request.worker = "healthy";
    const std::optional<Turn> claimed = turn({request}, {});
    if (!claimed || witness_.alarmed()) return 0;
    const auto* claims = std::get_if<store::ClaimAnswer>(&claimed->answers.front());
    if (claims == nullptr) return 0;
    std::vector<Command> acks;
    for (const store::ClaimedJob& one : claims->executions) {
      WorkCall ack;
      ack.call = AckCall{};
      ack.execution = one.execution;
      ack.token = one.facts.execution.token;
      acks.emplace_back(ack);
    }
    if (!acks.empty()) turn(std::move(acks), {});
    return claims->executions.size();
  }

  // Everybody works now, so that nothing is left to its lifetime unless that is short.
  void check_ends(const Turn& turn) {
    for (const auto& change : turn.changes) {
      const auto* job = std::get_if<store::local::JobChange>(&change);
      if (job == nullptr || job->facts.terms->lifetime < kLongLifetime) continue;
      for (const auto& entry : job->history) {
        if (entry.trigger != Trigger::kLifetime) continue;
        // A worker that went away before the end may have a lease beyond the lifetime.
        const bool held = job->facts.execution.lease_expires_at > entry.at;
        if (held && entry.from == JobState::kRunning) continue;
        witness_.found("everything drains", "job " + to_string(job->id) +
                                                " was left to its lifetime, and it was " +
                                                std::string(name(entry.from)));
      }
    }
  }

  // Faults are over: whatever is left must come to its end.
  void drain() {
    outages_.end();
    draining_ = true;
    turn(operators_.open_all(), {});
    submit_drafts();
    int rounds = 0;
    while (node_.live_jobs() > 0 && !witness_.alarmed()) {
      if (work_off() > 0 || node_.live_jobs() == 0) continue;
      const Time due = node_.next_due();
      if (!due.is_set() || ++rounds > kDrainRoundsAtMost) {
        witness_.found("everything drains", std::to_string(node_.live_jobs()) +
                                                " jobs are left, and nothing will end them");
        return;
      }
      board_.now = std::max(board_.now, due);
    }
    if (witness_.alarmed()) return;
    look_at_all(Step{step_, board_.now, {}, false, {}, {}});
    outages_.close_for_good(step_);
  }

  void submit_drafts() {
    std::vector<Command> commands;
    for (const auto& [number, job] : node_.rows().jobs()) {
      if (job->facts.state == JobState::kCreated) {
        commands.emplace_back(store::SubmitDraft{job->id});
      }
    }
    if (!commands.empty()) turn(std::move(commands), {});
  }

  const RunPlan& plan_;
  Board board_;
  Producer producer_;
  Workers workers_;
  Operators operators_;
  std::unique_ptr<DiskStore> store_;  // nullptr: a node in memory
  Node node_;
  Witness witness_;
  Outages outages_;
  Backups backups_;
  Time lease_horizon_{kBegin};
  bool draining_ = false;
  int step_ = 0;
  int turns_ = 0;
};

}  // namespace

RunReport run(const RunPlan& plan) { return World(plan).run(); }

}  // namespace baton::sim
