#include "sim/model/reference.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/model/verbs.h"

namespace baton::sim {
namespace {

using namespace store;         // NOLINT(google-build-using-namespace)
using namespace store::local;  // NOLINT(google-build-using-namespace)

Answer answer_to_call(const WorkBatchAnswer& all, std::size_t at) {
  const auto& result = all.results[at];
  return result.ok() ? Answer(*result) : Answer(result.error());
}

// A call, and where it stands: which command, and which call of that.
struct PlacedCall {
  std::pair<std::size_t, std::size_t> place;
  const WorkCall* call = nullptr;
  Answer answer;
};

std::vector<PlacedCall> calls_of(const StepView& step) {
  std::vector<PlacedCall> calls;
  for (std::size_t i = 0; i < step.commands.size(); ++i) {
    if (const auto* one = std::get_if<WorkCall>(&step.commands[i])) {
      calls.push_back({{i, 0}, one, step.turn.answers[i]});
    } else if (const auto* batch = std::get_if<WorkBatch>(&step.commands[i])) {
      const auto& all = answer_as<WorkBatchAnswer>(step.turn.answers[i], "a batch of calls");
      expect_equal("answers to calls", batch->calls.size(), all.results.size());
      for (std::size_t k = 0; k < batch->calls.size(); ++k)
        calls.push_back({{i, k}, &batch->calls[k], answer_to_call(all, k)});
    }
  }
  return calls;
}

struct CommandCheck {
  Scene& scene;
  const Answer& answer;

  void operator()(const SubmitBatch& command) const { check_submit(scene, command, answer); }
  void operator()(const ClaimRequest& command) const { check_claim(scene, command, answer); }
  void operator()(const WorkCall&) const {}   // likewise
  void operator()(const WorkBatch&) const {}  // its calls are checked one by one
  void operator()(const CancelJob& command) const { check_cancel(scene, command, answer); }
  void operator()(const RejectJob& command) const { check_reject(scene, command, answer); }
  void operator()(const SubmitDraft& command) const { check_draft(scene, command, answer); }
  void operator()(const PatchJob& command) const { check_patch(scene, command, answer); }
  void operator()(const RedriveJob& command) const { check_redrive(scene, command, answer); }
  void operator()(const DeleteJob& command) const { check_delete(scene, command, answer); }
  void operator()(const QueueUpdate& command) const { check_queue(scene, command, answer); }
  void operator()(const RemoveQueue& command) const {
    check_removed_queue(scene, command.name, answer);
  }
  void operator()(const GrantCredits& command) const { check_grant(scene, command, answer); }
  void operator()(const RunTimers&) const { check_timers(scene, answer); }
  void operator()(const Prune& command) const { check_prune(scene, command, answer); }
  void operator()(const ExplainJob& command) const { check_explain(scene, command.id, answer); }
  void operator()(const GetQueue& command) const { check_queue_view(scene, command.name, answer); }
  void operator()(const GetAccount& command) const { check_account(scene, command.id, answer); }
  void operator()(const GetStats&) const { check_stats(scene, answer); }
  void operator()(const GiveBackUnread& command) const { check_unread(scene, command, answer); }
};

void compare_row(const State& state, const JobId& id, const Rows& rows) {
  const auto record = rows.find(id);
  const ModelJob& job = state.any(id);
  expect_equal("the row of " + shown(id) + " is there", !job.deleted, record != nullptr);
  if (record) compare_record(job, *record);
}

// Rows of every job that the turn wrote.
void compare_changed(const State& state, const StepView& step) {
  for (const RowChange& change : step.turn.changes) {
    const auto* job = std::get_if<JobChange>(&change);
    if (job != nullptr) compare_row(state, job->id, step.node.rows());
  }
}

// Calls that came before a timer fell due do not lose to it, though it is due by now; then come
// timers, and then all the others in their order.
void check_commands(Scene& scene, const StepView& step) {
  std::vector<PlacedCall> calls = calls_of(step);
  std::set<std::pair<std::size_t, std::size_t>> done;
  for (const PlacedCall& one : calls) {
    const ModelJob* job = scene.state.find(one.call->execution.job());
    if (job == nullptr || !is_due(*job, scene.now)) continue;
    if (is_due(*job, arrival_of(scene, *one.call))) continue;
    check_work(scene, *one.call, one.answer);
    // It ends like any command, refused or not: who has still to be told of an end is told now,
    // and the lifetime of one that waits shows by that and takes no timer of the turn.
    settle_dependents(scene);
    done.insert(one.place);
  }
  fire_due(scene);
  for (std::size_t i = 0; i < step.commands.size(); ++i) {
    std::visit(CommandCheck{scene, step.turn.answers[i]}, step.commands[i]);
    for (const PlacedCall& one : calls) {
      if (one.place.first == i && !done.contains(one.place)) {
        check_work(scene, *one.call, one.answer);
      }
    }
  }
}

// Who is told of which ends in this turn.
void take_over_told(Scene& scene) {
  const auto& told = scene.seen.waits_over();
  expect(told.size() <= scene.tuning.dependents_per_turn, "a turn tells too many of an end");
  for (const WaitOver* over : told)
    scene.state.told.insert({over->job, over->ended});
}

void check_turn(State& state, const StepView& step) {
  Observed seen(step.turn);
  Scene scene{state, seen, step.now};
  scene.not_listed = step.not_listed;
  scene.lease_horizon = step.lease_horizon;
  scene.tuning = step.node.tuning();
  scene.gives_way = step.background == Background::kGivesWay;
  // Once all leases are renewed, the turn applies what is due.
  const bool renews = step.reopens && step.node.is_reopening();
  if (scene.gives_way || renews) scene.tuning.dependents_per_turn = 0;
  if (scene.gives_way || renews || step.node.is_collecting()) scene.tuning.timers_per_turn = 0;
  take_over_told(scene);
  const std::size_t known = state.jobs.size();
  expect_equal("answers", step.commands.size(), step.turn.answers.size());
  if (step.reopens) restart(scene, step.renewed);
  check_commands(scene, step);
  if (const SeenEntry* extra = seen.left_over()) {
    mismatch("job " + shown(extra->change->id) + " went from " + shown(extra->entry.from) + " to " +
             shown(extra->entry.to) + " (" + shown(extra->entry.trigger) +
             ") for no reason that the model knows");
  }
  expect_equal("jobs made", state.jobs.size() - known, seen.made_count());
  compare_changed(state, step);
  expect_equal("live jobs", static_cast<std::int64_t>(state.live.size()), step.node.live_jobs());
  check_next_due(scene, step.node.next_due());
  if (!step.node.has_work_left(step.now)) state.lately_ended.clear();
}

void compare_state(const State& state, const StepView& step) {
  std::size_t kept = 0;
  for (const auto& [id, job] : state.jobs) {
    compare_row(state, id, step.node.rows());
    if (!job.deleted) ++kept;
  }
  expect_equal("rows", kept, step.node.rows().jobs().size());
  for (const auto& [name, queue] : state.queues) {
    const auto& queues = step.node.rows().queues();
    expect(queues.contains(name) && queues.at(name) == queue.settings,
           "the row of queue " + name + " has other settings");
  }
  for (const auto& [id, account] : state.accounts) {
    const auto& accounts = step.node.rows().accounts();
    expect(accounts.contains(id), "account " + id + " has no row");
    const Account& row = accounts.at(id);
    expect_equal("available of " + id, account.available, row.balance.available);
    expect_equal("reserved of " + id, account.reserved, row.balance.reserved);
    expect_equal("captured of " + id, account.captured, row.balance.captured);
    expect_equal("active jobs of " + id, account.active, row.active_jobs);
  }
  expect_equal("audit records", static_cast<std::size_t>(state.safe_blocks),
               step.node.rows().audit_log().size());
}

}  // namespace

const Error* error_of(const Answer& answer) { return std::get_if<Error>(&answer); }

bool refused(const Refusals& allowed, const Error* error, const std::string& what) {
  if (allowed.empty()) {
    if (error != nullptr) {
      mismatch(what + " is refused with " + std::string(name(error->code)) + " (" + error->message +
               "), it should succeed");
    }
    return false;
  }
  std::string codes;
  for (const Code code : allowed)
    codes += (codes.empty() ? "" : " or ") + std::string(name(code));
  if (error == nullptr) mismatch(what + " succeeds, it should be refused with " + codes);
  if (std::find(allowed.begin(), allowed.end(), error->code) == allowed.end()) {
    mismatch(what + " is refused with " + std::string(name(error->code)) + ", expected " + codes);
  }
  return true;
}

void Reference::check(const StepView& step, Findings& findings) {
  try {
    check_turn(state_, step);
  } catch (const Mismatch& found) {
    findings.add("model", found.what);
  }
}

void Reference::compare_all(const StepView& step, Findings& findings) const {
  try {
    compare_state(state_, step);
  } catch (const Mismatch& found) {
    findings.add("model", found.what);
  }
}

}  // namespace baton::sim
