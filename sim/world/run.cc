#include "sim/world/run.h"

#include <algorithm>

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

// What the dice of a step are for.
enum Purpose : std::uint64_t { kWorld = 1, kMachine = 2, kTime = 3, kDiskSize = 5 };

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
        node_(store_.get()),
        witness_(plan),
        outages_(plan, board_, node_, witness_) {
    board_.now = Time{kBegin};
  }

  RunReport run() {
    Dice dice = Dice::for_step(plan_.seed, 0, kWorld);
    outages_.begin();
    turn(operators_.set_up(dice), {});
    for (int i = 1; i <= plan_.steps && !witness_.alarmed(); ++i) {
      step_ = i;
      if (!plan_.skipped.contains(i)) act();
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
    return std::make_unique<DiskStore>(plan.seed, dice.pick(kSegmentBytes));
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
    turn(std::move(commands), actions);
  }

  // One turn of the machine, looked at from all sides. nullopt when it was not kept, or nobody
  // knows: then the answers reach nobody.
  std::optional<Turn> turn(std::vector<Command> commands, const std::vector<Action>& actions) {
    if (plan_.progress != nullptr) *plan_.progress = step_;
    if (witness_.alarmed()) return std::nullopt;
    ++turns_;
    Dice dice = Dice::for_step(plan_.seed, static_cast<std::uint64_t>(turns_), kMachine);
    base::Random random = dice.random();
    Step step{step_, board_.now, std::move(commands), false, node_.not_listed(), {}};
    outages_.before_turn();
    step.turn = node_.decide(step.commands, board_.now, random);
    if (const auto kept = node_.keep(board_.now, step.turn); !kept) {
      outages_.turn_failed(std::move(step), kept.error());
      board_.live = node_.live_jobs();
      return std::nullopt;
    }
    outages_.turn_kept();
    witness_.see(step, node_);
    if (turns_ % kAuditEvery == 0) look_at_all(step);
    for (std::size_t i = 0; i < actions.size() && !witness_.alarmed(); ++i)
      actions[i].learn(step.turn.answers[i]);
    outages_.after_turn(step_);
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
    store::ClaimRequest request;
    for (const QueueInfo& queue : board_.queues())
      request.queues.push_back(queue.name);
    request.max = 1000;
    request.worker = "healthy";
    const std::optional<Turn> claimed = turn({request}, {});
    if (!claimed || witness_.alarmed()) return 0;
    const auto* claims = std::get_if<store::ClaimAnswer>(&claimed->answers.front());
    if (claims == nullptr) return 0;
    std::vector<Command> acks;
    for (const store::Claimed& one : claims->executions) {
      store::WorkCall ack;
      ack.kind = lifecycle::CallKind::kAck;
      ack.execution = one.execution;
      ack.token = one.facts.execution.token;
      acks.emplace_back(ack);
    }
    if (!acks.empty()) turn(std::move(acks), {});
    return claims->executions.size();
  }

  // Faults are over: whatever is left must come to its end.
  void drain() {
    outages_.end();
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
      if (job->facts.state == lifecycle::JobState::kCreated) {
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
  int step_ = 0;
  int turns_ = 0;
};

}  // namespace

RunReport run(const RunPlan& plan) { return World(plan).run(); }

}  // namespace baton::sim
