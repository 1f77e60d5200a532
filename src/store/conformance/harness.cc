#include "store/conformance/harness.h"
#include "store/work_call.h"

#include <algorithm>

namespace baton::store::conformance {
namespace {

// The oracle looks at the whole store after every step while it holds no more jobs than this.
constexpr std::size_t kWatchedJobs = 12;

[[noreturn]] void give_up(const std::string& why) { throw CannotGoOn(why); }

}  // namespace

// ---- The frame --------------------------------------------------------------------------------

void Suite::SetUp() { subject_ = GetParam().make(); }

void Suite::TearDown() {
  try {
    if (subject_ && watches_) {
      run_timers();
      audit(true);
    }
  } catch (const CannotGoOn& why) {
    ADD_FAILURE() << why.what();
  }
  if (HasFailure()) {
    std::string text = "the steps of this test:";
    for (const std::string& step : steps_)
      text += "\n  " + step;
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  oracle_.forget_all();
  subject_.reset();
}

void Suite::log(const std::string& step) {
  steps_.push_back("+" + std::to_string(subject_->clock().monotonic().ms) + " ms " + step);
}

void Suite::changed() {
  if (watches_ && oracle_.known() <= kWatchedJobs) audit();
}

Snapshot Suite::snapshot() {
  Snapshot seen;
  ListJobs filter;
  filter.limit = 1000;
  do {
    const auto page =
        await<JobList>("list", [&](auto done) { store().list(filter, std::move(done)); });
    if (!page.ok()) give_up("a list of all jobs was refused: " + text_of(page.error()));
    for (const auto& job : page->jobs)
      seen.jobs.push_back(get(job->id));
    filter.before_number = page->next_before_number;
  } while (filter.before_number != 0);
  for (const auto& job : seen.jobs) {
    if (!job->spec->account.empty()) accounts_.insert(job->spec->account);
  }
  for (const std::string& id : accounts_)
    seen.accounts[id] = {account(id), entries(id)};
  seen.stats = stats();
  seen.now = now();
  return seen;
}

void Suite::audit(bool timers_applied) {
  Snapshot seen = snapshot();
  seen.timers_applied = timers_applied;
  oracle_.judge(seen);
}

void Suite::restart(Duration closed_for) {
  oracle_.forget_all();
  subject_->restart(closed_for);
  log("restart");
}

void Suite::expect_as_stored(const JobId& id, lifecycle::JobFacts answered) {
  if (!watches_ || oracle_.known() > kWatchedJobs) return;
  const auto record = get(id);
  const lifecycle::JobFacts& stored = record->facts;
  if (!answered.not_before.is_set()) answered.not_before = stored.not_before;
  if (!answered.started_at.is_set()) {
    answered.started_at = stored.started_at;
    answered.execution = stored.execution;
  }
  EXPECT_EQ(difference(stored, answered), "") << "stored and answered: " << describe(*record);
}

// ---- Time -------------------------------------------------------------------------------------

void Suite::advance(Duration by) {
  pass(by);
  run_timers();
  changed();
}

TimersAnswer Suite::run_timers() {
  const auto answer =
      ask<TimersAnswer>("run_timers", [&](auto done) { store().run_timers(std::move(done)); });
  if (!answer.ok()) give_up("run_timers was refused: " + text_of(answer.error()));
  return *answer;
}

// ---- Submitting -------------------------------------------------------------------------------

Result<SubmitAnswer> Suite::submit_batch(const std::vector<Spec>& specs, BatchKind kind) {
  SubmitBatch batch;
  batch.jobs = share(specs);
  batch.atomic = kind.atomic;
  batch.chain = kind.chain;
  auto answer =
      ask<SubmitAnswer>("submit " + std::to_string(specs.size()) +
                            (specs.empty() ? "" : " " + specs.front().submission().type),
                        [&](auto done) { store().submit(std::move(batch), std::move(done)); });
  if (!answer.ok()) return answer;
  if (answer->refused) {
    log("  refused [" + std::to_string(answer->refused->index) + "] " +
        text_of(answer->refused->error));
  } else {
    EXPECT_EQ(answer->results.size(), specs.size()) << "one result for each submission";
    for (const auto& result : answer->results) {
      log("  " + (result.ok() ? to_string(result->id) : text_of(result.error())));
      if (result.ok()) expect_as_stored(result->id, result->facts);
    }
  }
  changed();
  return answer;
}

Result<MadeJob> Suite::submit(const Spec& spec) {
  const auto answer = submit_batch({spec});
  if (!answer.ok()) return answer.error();
  if (answer->refused) {
    EXPECT_EQ(answer->refused->index, 0u);
    return answer->refused->error;
  }
  if (answer->results.size() != 1) give_up("a batch of one has one result");
  return answer->results.front();
}

JobId Suite::make(const Spec& spec) {
  const auto submitted = submit(spec);
  if (!submitted.ok()) give_up("a submission was refused: " + text_of(submitted.error()));
  EXPECT_FALSE(submitted->duplicate) << "a job that was to be new is an older one";
  return submitted->id;
}

std::vector<JobId> Suite::make_all(const std::vector<Spec>& specs, BatchKind kind) {
  const auto answer = submit_batch(specs, kind);
  if (!answer.ok()) give_up("a batch was refused: " + text_of(answer.error()));
  if (answer->refused) give_up("a batch was refused: " + text_of(answer->refused->error));
  std::vector<JobId> ids;
  for (const auto& result : answer->results) {
    if (!result.ok()) give_up("a job of a batch was refused: " + text_of(result.error()));
    ids.push_back(result->id);
  }
  return ids;
}

// ---- Claiming ---------------------------------------------------------------------------------

Result<ClaimAnswer> Suite::try_claim(ClaimRequest request) {
  const std::string step = "claim " + std::to_string(request.max) + " from " +
                           (request.queues.empty() ? "nowhere" : request.queues.front());
  auto answer = ask<ClaimAnswer>(
      step, [&](auto done) { store().claim(std::move(request), std::move(done)); });
  if (answer.ok()) {
    for (const ClaimedJob& claimed : answer->executions) {
      log("  " + to_string(claimed.execution));
      EXPECT_EQ(claimed.execution.job(), claimed.job);
      EXPECT_EQ(claimed.execution.attempt(), claimed.facts.attempt);
      expect_as_stored(claimed.job, claimed.facts);
    }
  }
  changed();
  return answer;
}

std::vector<ClaimedJob> Suite::claim(const ClaimWish& wish) {
  ClaimRequest request;
  request.queues = wish.queues;
  request.types = wish.types;
  request.max = wish.max;
  request.worker = wish.worker;
  request.lease = wish.lease;
  auto answer = try_claim(std::move(request));
  if (!answer.ok()) give_up("a claim was refused: " + text_of(answer.error()));
  return std::move(answer).value().executions;
}

std::vector<JobId> Suite::claim_ids(const ClaimWish& wish) {
  std::vector<JobId> ids;
  for (const ClaimedJob& claimed : claim(wish))
    ids.push_back(claimed.job);
  return ids;
}

ClaimedJob Suite::claim_one(const std::string& queue) {
  const auto claimed = claim({.queues = {queue}});
  if (claimed.size() != 1) give_up("there is nothing to claim in queue " + queue);
  return claimed.front();
}

ClaimedJob Suite::claim_job(const JobId& id) {
  const auto record = get(id);
  const auto claimed = claim({.queues = {record->spec->queue}, .types = {record->spec->type}});
  if (claimed.size() != 1 || claimed.front().job != id)
    give_up("another job or none was claimed instead of " + describe(*record));
  return claimed.front();
}

ClaimedJob Suite::running(const Spec& spec) { return claim_job(make(spec)); }

ClaimedJob Suite::committed(const Spec& spec) {
  const ClaimedJob claimed = running(spec);
  EXPECT_EQ(code_of(start(claimed)), "ok");
  EXPECT_EQ(code_of(commit(claimed)), "ok");
  return claimed;
}

// ---- A worker's calls -------------------------------------------------------------------------

std::vector<Result<CallAnswer>> Suite::work_all(const std::vector<WorkCall>& calls) {
  std::string step = "work";
  for (const WorkCall& call : calls)
    step += " " + std::string(name(call.kind())) + " " + to_string(call.execution);
  auto answers = ask<std::vector<Result<CallAnswer>>>(
      step, [&](auto done) { store().work(calls, std::move(done)); });
  if (!answers.ok()) give_up("work as a whole was refused: " + text_of(answers.error()));
  EXPECT_EQ(answers->size(), calls.size()) << "one result for each call";
  for (const auto& answer : *answers)
    log("  " + (answer.ok() ? std::string("ok") : text_of(answer.error())));
  changed();
  return std::move(answers).value();
}

Result<CallAnswer> Suite::work(const WorkCall& call) {
  auto answers = work_all({call});
  if (answers.size() != 1) give_up("one call has one answer");
  if (answers.front().ok()) {
    EXPECT_EQ(answers.front()->job, call.execution.job());
    expect_as_stored(answers.front()->job, answers.front()->facts);
  }
  return answers.front();
}

WorkCall Suite::call_of(CallKind kind, const ClaimedJob& claimed) {
  WorkCall call{.execution = claimed.execution,
                .token = claimed.facts.execution.token,
                .call = blank_call(kind)};
  if (auto* nack = std::get_if<NackCall>(&call.call)) {
    nack->failure = {FailureCategory::kTemporary, "E1", "it broke", ""};
  }
  if (auto* reject = std::get_if<RejectCall>(&call.call)) reject->reason = "not allowed";
  if (auto* spawn = std::get_if<SpawnCall>(&call.call)) {
    spawn->jobs = {Spec("child").no_key().share()};
  }
  return call;
}

Result<CallAnswer> Suite::work_with(CallKind kind, const ClaimedJob& claimed,
                                    const std::vector<Spec>& children) {
  WorkCall call = call_of(kind, claimed);
  if (kind == CallKind::kCommit) std::get<CommitCall>(call.call).spawn = share(children);
  if (kind == CallKind::kAck) std::get<AckCall>(call.call).spawn = share(children);
  if (kind == CallKind::kSpawn) std::get<SpawnCall>(call.call).jobs = share(children);
  return work(call);
}

Result<CallAnswer> Suite::start(const ClaimedJob& claimed) {
  return work(call_of(CallKind::kStart, claimed));
}

Result<CallAnswer> Suite::start(const ClaimedJob& claimed, Duration execution_limit) {
  WorkCall call = call_of(CallKind::kStart, claimed);
  std::get<StartCall>(call.call).execution_limit = execution_limit;
  return work(call);
}

Result<CallAnswer> Suite::heartbeat(const ClaimedJob& claimed) {
  return work(call_of(CallKind::kHeartbeat, claimed));
}

Result<CallAnswer> Suite::commit(const ClaimedJob& claimed, const std::string& result) {
  WorkCall call = call_of(CallKind::kCommit, claimed);
  std::get<CommitCall>(call.call).result = Outcome{result};
  return work(call);
}

Result<CallAnswer> Suite::commit(const ClaimedJob& claimed, const std::vector<Spec>& children) {
  return work_with(CallKind::kCommit, claimed, children);
}

Result<CallAnswer> Suite::done(const ClaimedJob& claimed) {
  return work(call_of(CallKind::kDone, claimed));
}

Result<CallAnswer> Suite::ack(const ClaimedJob& claimed, const std::string& result) {
  WorkCall call = call_of(CallKind::kAck, claimed);
  std::get<AckCall>(call.call).result = Outcome{result};
  return work(call);
}

Result<CallAnswer> Suite::ack(const ClaimedJob& claimed, const std::vector<Spec>& children) {
  return work_with(CallKind::kAck, claimed, children);
}

Result<CallAnswer> Suite::nack(const ClaimedJob& claimed, FailureCategory category) {
  WorkCall call = call_of(CallKind::kNack, claimed);
  std::get<NackCall>(call.call).failure.category = category;
  return work(call);
}

Result<CallAnswer> Suite::nack_after(const ClaimedJob& claimed, Duration retry_after) {
  WorkCall call = call_of(CallKind::kNack, claimed);
  std::get<NackCall>(call.call).retry_after = retry_after;
  return work(call);
}

Result<CallAnswer> Suite::reject(const ClaimedJob& claimed) {
  return work(call_of(CallKind::kReject, claimed));
}

Result<CallAnswer> Suite::confirm_cancel(const ClaimedJob& claimed) {
  return work(call_of(CallKind::kCancelled, claimed));
}

Result<CallAnswer> Suite::release(const ClaimedJob& claimed, std::optional<Duration> delay,
                                  const std::string& reason) {
  WorkCall call = call_of(CallKind::kRelease, claimed);
  call.call = ReleaseCall{delay, reason};
  return work(call);
}

Result<CallAnswer> Suite::spawn(const ClaimedJob& claimed, const std::vector<Spec>& children) {
  return work_with(CallKind::kSpawn, claimed, children);
}

// ---- Endings ----------------------------------------------------------------------------------

void Suite::complete(const JobId& id) { EXPECT_EQ(code_of(ack(claim_job(id))), "ok"); }

void Suite::fail(const JobId& id) {
  EXPECT_EQ(code_of(nack(claim_job(id), FailureCategory::kPermanent)), "ok");
}

JobId Suite::completed(const Spec& spec) {
  const JobId id = make(spec);
  complete(id);
  return id;
}

JobId Suite::failed(const Spec& spec) {
  const JobId id = make(spec);
  fail(id);
  return id;
}

JobId Suite::dead_lettered(const Spec& spec) {
  const JobId id = make(Spec(spec).attempts(1));
  EXPECT_EQ(code_of(nack(claim_job(id))), "ok");
  return id;
}

JobId Suite::cancelled(const Spec& spec) {
  const JobId id = make(spec);
  EXPECT_EQ(code_of(cancel(id)), "ok");
  return id;
}

}  // namespace baton::store::conformance
