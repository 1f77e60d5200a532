#include "sim/world/run.h"

#include <algorithm>

#include "sim/checkers/checker.h"
#include "sim/model/reference.h"
#include "sim/world/digest.h"
#include "sim/world/operator.h"
#include "sim/world/tally.h"
#include "sim/world/trace.h"
#include "sim/world/worker.h"

namespace baton::sim {
namespace {

constexpr std::int64_t kBegin = 1'893'456'000'000;  // 2030-01-01
constexpr int kAuditEvery = 50;
constexpr int kCommandsAtMost = 5;
constexpr int kDrainRoundsAtMost = 20'000;
constexpr std::int64_t kManyLiveJobs = 120;

// What the dice of a step are for.
enum Purpose : std::uint64_t { kWorld = 1, kMachine = 2, kTime = 3 };

class World {
 public:
  explicit World(const RunPlan& plan)
      : plan_(plan),
        board_(*plan.mix),
        producer_(board_),
        workers_(board_, producer_),
        operators_(board_),
        checkers_(all_checkers()) {
    board_.now = Time{kBegin};
  }

  RunReport run() {
    Dice dice = Dice::for_step(plan_.seed, 0, kWorld);
    turn(operators_.set_up(dice), {});
    for (int i = 1; i <= plan_.steps && !findings_.any(); ++i) {
      step_ = i;
      if (!plan_.skipped.contains(i)) act();
    }
    if (!findings_.any()) drain();
    RunReport report;
    if (findings_.any()) report.violation = findings_.all().front();
    report.step = step_;
    report.digest = digest_.value();
    report.jobs = static_cast<std::int64_t>(reference_.state().jobs.size());
    report.counts = tally_.counts();
    return report;
  }

 private:
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

  // One turn of the machine, looked at from all sides.
  Turn turn(std::vector<Command> commands, const std::vector<Action>& actions) {
    if (plan_.progress != nullptr) *plan_.progress = step_;
    ++turns_;
    Dice dice = Dice::for_step(plan_.seed, static_cast<std::uint64_t>(turns_), kMachine);
    base::Random random = dice.random();
    Turn result = node_.turn(commands, board_.now, random);
    const StepView view{step_, board_.now, commands, result, node_};
    digest_.add(result);
    if (plan_.count) tally_.add(view);
    if (plan_.trace) plan_.trace(describe(view));
    reference_.check(view, findings_);
    for (const auto& checker : checkers_)
      checker->each_step(view, findings_);
    if (turns_ % kAuditEvery == 0) look_at_all(view);
    board_.live = node_.live_jobs();
    for (std::size_t i = 0; i < actions.size() && !findings_.any(); ++i)
      actions[i].learn(result.answers[i]);
    return result;
  }

  void look_at_all(const StepView& view) {
    if (findings_.any()) return;
    reference_.compare_all(view, findings_);
    for (const auto& checker : checkers_)
      checker->now_and_then(view, findings_);
  }

  // ---- The end ---------------------------------------------------------------------------------

  // Claims and acknowledges whatever there is. Gives how many jobs it got.
  std::size_t work_off() {
    store::ClaimRequest request;
    for (const QueueInfo& queue : board_.queues())
      request.queues.push_back(queue.name);
    request.max = 1000;
    request.worker = "healthy";
    const Turn claimed = turn({request}, {});
    const auto* claims = std::get_if<store::ClaimAnswer>(&claimed.answers.front());
    if (claims == nullptr || findings_.any()) return 0;
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
    turn(operators_.open_all(), {});
    submit_drafts();
    int rounds = 0;
    while (node_.live_jobs() > 0 && !findings_.any()) {
      if (work_off() > 0 || node_.live_jobs() == 0) continue;
      const Time due = node_.next_due();
      if (!due.is_set() || ++rounds > kDrainRoundsAtMost) {
        findings_.add("everything drains", std::to_string(node_.live_jobs()) +
                                               " jobs are left, and nothing will end them");
        return;
      }
      board_.now = std::max(board_.now, due);
    }
    if (findings_.any()) return;
    const std::vector<Command> none;
    const Turn nothing;
    look_at_all({step_, board_.now, none, nothing, node_});
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
  Node node_;
  Reference reference_;
  Checkers checkers_;
  Digest digest_;
  Tally tally_;
  Findings findings_;
  int step_ = 0;
  int turns_ = 0;
};

}  // namespace

RunReport run(const RunPlan& plan) { return World(plan).run(); }

}  // namespace baton::sim
