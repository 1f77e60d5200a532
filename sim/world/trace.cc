#include "sim/world/trace.h"

#include "sim/model/mismatch.h"
#include "store/work_call.h"

namespace baton::sim {
namespace {

using namespace store;         // NOLINT(google-build-using-namespace)
using namespace store::local;  // NOLINT(google-build-using-namespace)

std::string of(const ExecutionId& id) {
  return shown(id.job()) + "/" + std::to_string(id.attempt());
}

std::string of(const Submission& job) {
  std::string text = job.queue + ":" + job.type + " " + shown(job.priority);
  if (job.idempotency_key) text += " key=" + job.idempotency_key->substr(0, 8);
  if (job.idempotency != Idempotency::kByProfile) {
    text += job.idempotency == Idempotency::kAuto ? " key:auto" : " key:none";
  }
  if (job.unique) {
    text += " unique=" + job.unique->key.substr(0, 8) + "/" +
            std::string(name(job.unique->held_while)) + "/" +
            std::string(name(job.unique->on_conflict));
  }
  if (job.delay) text += " delay=" + std::to_string(job.delay->ms);
  if (job.run_at) text += " run_at=" + std::to_string(job.run_at->ms);
  if (!job.account.empty()) text += " account=" + job.account;
  if (job.cost) text += " cost=" + std::to_string(*job.cost);
  if (job.draft) text += " draft";
  if (job.retry.max_attempts) text += " attempts=" + std::to_string(*job.retry.max_attempts);
  if (job.timeouts.lifetime) text += " lifetime=" + std::to_string(job.timeouts.lifetime->ms);
  if (!job.ref.empty()) text += " ref=" + job.ref;
  for (const auto& group : job.depends_on) {
    text += " " + std::string(name(group.type)) + "(";
    for (const std::string& name : group.jobs)
      text += (text.back() == '(' ? "" : " ") + name.substr(0, 8);
    text += ")";
  }
  return text + " " + job.payload.substr(0, 24);
}

struct CommandText {
  std::string operator()(const SubmitBatch& command) const {
    std::string text =
        std::string("submit") + (command.atomic ? " atomic" : "") + (command.chain ? " chain" : "");
    const std::size_t listed = std::min<std::size_t>(command.jobs.size(), 6);
    for (std::size_t i = 0; i < listed; ++i)
      text += " [" + of(*command.jobs[i]) + "]";
    if (listed < command.jobs.size()) text += " … " + std::to_string(command.jobs.size());
    return text;
  }
  std::string operator()(const ClaimRequest& command) const {
    std::string text = "claim by " + command.worker + " max=" + std::to_string(command.max);
    for (const std::string& queue : command.queues)
      text += " " + queue;
    for (const std::string& type : command.types)
      text += " type=" + type;
    if (command.lease) text += " lease=" + std::to_string(command.lease->ms);
    if (command.max_lease) text += " max_lease=" + std::to_string(command.max_lease->ms);
    return text;
  }
  std::string operator()(const WorkCall& command) const {
    std::string text = std::string(name(command.kind())) + " " + of(command.execution);
    if (const auto* nack = store::part<NackCall>(command)) {
      text += " " + shown(nack->failure.category) + " " + nack->failure.code;
      if (nack->retry_after) text += " retry_after=" + std::to_string(nack->retry_after->ms);
    }
    const auto* release = store::part<ReleaseCall>(command);
    if (release != nullptr && release->delay) {
      text += " delay=" + std::to_string(release->delay->ms);
    }
    const auto* start = store::part<StartCall>(command);
    if (start != nullptr && start->execution_limit) {
      text += " limit=" + std::to_string(start->execution_limit->ms);
    }
    if (command.waited.ms > 0) text += " waited=" + std::to_string(command.waited.ms);
    for (const auto& job : store::children_of(command))
      text += " spawn [" + of(*job) + "]";
    return text;
  }
  std::string operator()(const WorkBatch& command) const {
    std::string text = "calls";
    for (const WorkCall& call : command.calls)
      text += " (" + (*this)(call) + ")";
    return text;
  }
  std::string operator()(const CancelJob& command) const {
    return std::string(command.force ? "force " : "cancel ") + shown(command.id);
  }
  std::string operator()(const RejectJob& command) const { return "reject " + shown(command.id); }
  std::string operator()(const SubmitDraft& command) const {
    return "submit draft " + shown(command.id);
  }
  std::string operator()(const PatchJob& command) const {
    std::string text = "patch " + shown(command.id) + " priority=" + shown(command.priority);
    if (command.run_at) text += " run_at=" + shown(*command.run_at);
    return text;
  }
  std::string operator()(const RedriveJob& command) const {
    std::string text = "retry " + shown(command.id);
    if (command.again) text += " again";
    if (command.drop_dependencies) text += " without dependencies";
    return text;
  }
  std::string operator()(const DeleteJob& command) const { return "delete " + shown(command.id); }
  std::string operator()(const QueueUpdate& command) const {
    std::string text = "set " + command.name;
    if (command.profile) text += " profile=" + *command.profile;
    if (command.paused) text += *command.paused ? " pause" : " resume";
    if (command.draining) text += *command.draining ? " drain" : " fill";
    if (command.max_running) text += " max_running=" + std::to_string(*command.max_running);
    if (command.max_pending) text += " max_pending=" + std::to_string(*command.max_pending);
    if (command.rate) {
      text += " rate=" + std::to_string(command.rate->per_second) + "/" +
              std::to_string(command.rate->burst);
    }
    if (command.idempotency_window) {
      text += " window=" + std::to_string(command.idempotency_window->ms);
    }
    return text;
  }
  std::string operator()(const RemoveQueue& command) const {
    return "remove queue " + command.name;
  }
  std::string operator()(const GrantCredits& command) const {
    return "grant " + command.account + " " + std::to_string(command.amount) + " " +
           command.idempotency_key;
  }
  std::string operator()(const RunTimers&) const { return "run timers"; }
  std::string operator()(const Prune& command) const {
    return "prune " + std::to_string(command.limit);
  }
  std::string operator()(const ExplainJob& command) const { return "explain " + shown(command.id); }
  std::string operator()(const GetQueue& command) const { return "get queue " + command.name; }
  std::string operator()(const GetAccount& command) const { return "get account " + command.id; }
  std::string operator()(const GetStats&) const { return "get stats"; }
  std::string operator()(const GiveBackUnread& command) const {
    return "give back unread " + shown(command.id) + " " + std::to_string(command.attempt);
  }
};

std::string of(const Error& error) { return std::string(name(error.code)) + ": " + error.message; }

struct AnswerText {
  std::string operator()(const Error& answer) const { return of(answer); }
  std::string operator()(const SubmitAnswer& answer) const {
    if (answer.refused) {
      return "all refused for number " + std::to_string(answer.refused->index) + ": " +
             of(answer.refused->error);
    }
    std::string text;
    for (const auto& result : answer.results) {
      text += text.empty() ? "" : ", ";
      if (!result.ok()) {
        text += of(result.error());
      } else {
        text +=
            shown(result->id) + (result->duplicate ? " again " : " ") + shown(result->facts.state);
      }
    }
    return text;
  }
  std::string operator()(const ClaimAnswer& answer) const {
    std::string text = "claimed";
    for (const store::ClaimedJob& claimed : answer.executions)
      text += " " + of(claimed.execution);
    return text;
  }
  std::string operator()(const store::CallAnswer& answer) const {
    return "ok, " + shown(answer.facts.state) + (answer.repeated ? ", repeated" : "");
  }
  std::string operator()(const WorkBatchAnswer& answer) const {
    std::string text;
    for (const auto& result : answer.results)
      text += (text.empty() ? "" : "; ") + (result.ok() ? (*this)(*result) : of(result.error()));
    return text;
  }
  std::string operator()(const JobAnswer& answer) const {
    return shown(answer.id) + " " + shown(answer.facts.state);
  }
  std::string operator()(const Deleted&) const { return "deleted"; }
  std::string operator()(const Queue&) const { return "ok"; }
  std::string operator()(const Account& answer) const {
    return "available " + std::to_string(answer.balance.available) + ", reserved " +
           std::to_string(answer.balance.reserved) + ", captured " +
           std::to_string(answer.balance.captured);
  }
  std::string operator()(const TimersAnswer& answer) const {
    return std::to_string(answer.fired) + " fired";
  }
  std::string operator()(const Pruned& answer) const {
    return std::to_string(answer.deleted) + " deleted" + (answer.more ? ", more" : "");
  }
  std::string operator()(const Explanation& answer) const { return answer.code; }
  std::string operator()(const Stats& answer) const {
    return std::to_string(answer.live_jobs) + " live";
  }
};

std::string of(const RowChange& change) {
  if (const auto* gone = std::get_if<JobGone>(&change)) return shown(gone->id) + " is gone";
  const auto* job = std::get_if<JobChange>(&change);
  if (job == nullptr) return {};
  std::string text = shown(job->id);
  for (const auto& entry : job->history) {
    text += " " + shown(entry.from) + "→" + shown(entry.to) + " (" + shown(entry.trigger) + ")";
  }
  if (job->facts.run_at.is_set()) text += " until " + std::to_string(job->facts.run_at.ms);
  return text;
}

}  // namespace

std::vector<std::string> describe(const StepView& step) {
  std::vector<std::string> lines;
  lines.push_back("step " + std::to_string(step.number) + " at " + std::to_string(step.now.ms));
  if (step.lease_horizon < step.now) {
    lines.back() += ", leases end up to " + std::to_string(step.lease_horizon.ms);
  }
  for (std::size_t i = 0; i < step.commands.size(); ++i) {
    std::string line = "  " + std::visit(CommandText{}, step.commands[i]);
    if (i < step.turn.answers.size())
      line += " → " + std::visit(AnswerText{}, step.turn.answers[i]);
    lines.push_back(line);
  }
  for (const RowChange& change : step.turn.changes) {
    const std::string text = of(change);
    if (!text.empty()) lines.push_back("    . " + text);
  }
  return lines;
}

}  // namespace baton::sim
