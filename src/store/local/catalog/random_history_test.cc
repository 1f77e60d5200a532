// The definitions of random_history.h, in a file that only the test program has.
#include "store/local/catalog/random_history.h"

#include <algorithm>

#include "store/work_call.h"

namespace baton::store::local::testbed {

namespace {

constexpr std::size_t kRemembered = 60;

template <class T>
void keep_latest(std::vector<T>& items) {
  if (items.size() > kRemembered) items.erase(items.begin());
}

}  // namespace

RandomHistory::RandomHistory(std::uint64_t seed)
    : random_(seed), machine_random_(seed + 1), machine_(rows_) {}

std::int64_t RandomHistory::between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
}

std::string RandomHistory::name(const char* prefix, int count) {
  return prefix + std::to_string(random_.below(static_cast<std::uint64_t>(count)));
}

JobId RandomHistory::some_job() {
  if (jobs_.empty()) return make_job_id(random_);
  return jobs_[random_.below(jobs_.size())];
}

// One queue for each profile, and two more of the first.
std::vector<Command> RandomHistory::set_up() {
  std::vector<Command> commands;
  int number = 0;
  for (const lifecycle::Profile* profile : lifecycle::all_profiles()) {
    QueueUpdate update;
    update.name = "q" + std::to_string(number++);
    update.profile = profile->name;
    update.keep_completed = base::seconds(20);
    update.keep_failed = base::seconds(40);
    commands.emplace_back(std::move(update));
  }
  for (int i = 0; i < 3; ++i) {
    commands.emplace_back(GrantCredits{"a" + std::to_string(i), 1000, Tier::kPro, "first"});
  }
  return commands;
}

std::shared_ptr<Submission> RandomHistory::some_submission() {
  auto job = std::make_shared<Submission>();
  job->queue = name("q", 7);
  job->type = name("t", 4);
  job->payload = "{\"n\":" + std::to_string(between(0, 9)) + "}";
  if (chance(5)) job->payload.append(static_cast<std::size_t>(between(900, 3000)), ' ');
  if (chance(30)) job->priority = static_cast<Priority>(between(0, 4));
  if (chance(20)) job->idempotency_key = name("k", 10);
  if (chance(15)) job->delay = base::milliseconds(between(0, 4000));
  if (chance(30)) job->tags = {{"team", name("x", 3)}, {"env", name("e", 2)}};
  if (chance(3))
    job->tags.push_back(job->tags.empty() ? std::pair<std::string, std::string>("", "")
                                          : job->tags.front());
  if (chance(20)) job->correlation_id = name("c", 5);
  if (chance(20)) job->callback_url = "https://example.org/" + name("hook", 3);
  if (chance(25)) {
    job->account = name("a", 4);
    if (chance(60)) job->cost = between(0, 5);
  }
  if (chance(15)) job->draft = true;
  if (chance(10)) job->timeouts.lifetime = base::milliseconds(between(500, 9000));
  if (chance(10)) job->retry.max_attempts = static_cast<int>(between(1, 4));
  if (chance(20)) {
    Dependency group;
    group.type = static_cast<DependencyType>(between(0, 2));
    for (std::int64_t left = between(1, 3); left > 0; --left)
      group.jobs.push_back(to_string(some_job()));
    job->depends_on.push_back(std::move(group));
  }
  return job;
}

Command RandomHistory::submit() {
  SubmitBatch batch;
  batch.atomic = chance(30);
  batch.chain = chance(20);
  for (std::int64_t left = chance(40) ? between(2, 6) : 1; left > 0; --left)
    batch.jobs.push_back(some_submission());
  return batch;
}

AnyCall RandomHistory::some_call(CallKind kind) {
  AnyCall call = blank_call(kind);
  if (auto* nack = std::get_if<NackCall>(&call)) {
    nack->failure = {static_cast<FailureCategory>(between(0, 1)), "E1", "it broke", "why"};
  }
  if (auto* beat = std::get_if<HeartbeatCall>(&call); beat != nullptr && chance(50)) {
    beat->progress = static_cast<int>(between(0, 100));
    beat->message = name("step ", 9);
    if (chance(50)) beat->checkpoint = name("at ", 9);
  }
  const auto commit = [this](auto& one) {
    if (chance(40)) one.result = Outcome{"{\"ok\":true}", "application/json"};
    if (chance(3)) one.result = Outcome{std::string(5000, 'r'), "text/plain"};
    if (chance(10)) one.spawn = some_children();
  };
  if (auto* one = std::get_if<CommitCall>(&call)) commit(*one);
  if (auto* one = std::get_if<AckCall>(&call)) commit(*one);
  if (auto* spawn = std::get_if<SpawnCall>(&call)) spawn->jobs = some_children();
  return call;
}

Children RandomHistory::some_children() {
  Children children;
  for (std::int64_t left = between(1, 3); left > 0; --left)
    children.push_back(some_submission());
  return children;
}

Command RandomHistory::work() {
  const bool idle = leases_.empty() || chance(35);
  if (idle) {
    ClaimRequest request;
    for (int i = 0; i < 7; ++i)
      request.queues.push_back("q" + std::to_string(i));
    request.max = static_cast<int>(between(1, 5));
    request.worker = name("worker-", 3);
    return request;
  }
  const Lease& lease = leases_[random_.below(leases_.size())];
  WorkCall call;
  call.execution = lease.execution;
  call.token = lease.token;
  call.call = some_call(chance(40) ? CallKind::kAck : static_cast<CallKind>(between(0, 8)));
  return call;
}

Command RandomHistory::patch() {
  PatchJob patch;
  patch.id = some_job();
  if (chance(40)) patch.priority = static_cast<Priority>(between(0, 4));
  if (chance(40)) patch.tags.emplace().emplace_back("team", name("x", 3));
  if (chance(20)) patch.tags.emplace();
  if (chance(40)) patch.correlation_id = chance(30) ? std::string() : name("c", 5);
  if (chance(30)) patch.callback_url = chance(30) ? std::string() : "https://example.org/other";
  return patch;
}

Command RandomHistory::operate() {
  switch (between(0, 6)) {
    case 0:
    case 1:
      return CancelJob{some_job(), chance(50), "no longer wanted"};
    case 2:
      return RejectJob{some_job(), "not allowed"};
    case 3:
      return SubmitDraft{some_job()};
    case 4:
      return RedriveJob{some_job()};
    case 5:
      return DeleteJob{some_job()};
    default:
      return patch();
  }
}

Command RandomHistory::upkeep() {
  switch (between(0, 6)) {
    case 0:
      return Prune{between(1, 20)};
    case 1:
      return GrantCredits{name("a", 4), between(0, 100), std::nullopt,
                          chance(50) ? name("g", 9) : ""};
    case 2:
    case 3: {
      QueueUpdate update;
      update.name = chance(50) ? name("q", 7) : "spare";
      if (chance(50)) update.idempotency_window = base::seconds(between(1, 100));
      if (chance(20)) update.paused = chance(30);
      return update;
    }
    case 4:
    case 5:
      // Those of the profiles stay, for what only happens there.
      return RemoveQueue{chance(25) ? "q6" : "spare"};
    default:
      return RunTimers{};
  }
}

Command RandomHistory::some_command() {
  const std::int64_t roll = between(0, 99);
  if (roll < 35) return submit();
  if (roll < 80) return work();
  if (roll < 95) return operate();
  return upkeep();
}

void RandomHistory::learn(const Turn& turn) {
  for (const Answer& answer : turn.answers) {
    if (const auto* submitted = std::get_if<SubmitAnswer>(&answer)) {
      for (const auto& result : submitted->results) {
        if (!result.ok()) continue;
        jobs_.push_back(result->id);
        keep_latest(jobs_);
      }
    }
    if (const auto* claimed = std::get_if<ClaimAnswer>(&answer)) {
      for (const ClaimedJob& one : claimed->executions) {
        leases_.push_back({one.execution, one.facts.execution.token});
        keep_latest(leases_);
      }
    }
  }
}

std::shared_ptr<const TurnChanges> RandomHistory::turn() {
  now_ = now_ + base::milliseconds(chance(5) ? between(1000, 30'000) : between(0, 300));
  std::vector<Command> commands = turn_ == 0 ? set_up() : std::vector<Command>{};
  for (std::int64_t left = between(0, 4); left > 0; --left)
    commands.push_back(some_command());
  Turn made = machine_.turn(commands, now_, machine_random_);
  learn(made);
  rows_.apply(made.changes);
  auto changes = std::make_shared<TurnChanges>();
  changes->turn = ++turn_;
  changes->at = now_;
  changes->changes = std::move(made.changes);
  return changes;
}

}  // namespace baton::store::local::testbed
