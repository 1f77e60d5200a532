// The fixture of every conformance suite: a store of its own for each test, its verbs as blocking
// calls, and the clock. After every step that may change something the oracle looks at the whole
// store (while it is small), and once more at the end of the test. A failed test prints the steps
// it took. One thread, but for what a test starts itself.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lifecycle/profile.h"
#include "store/conformance/await.h"
#include "store/conformance/oracle.h"
#include "store/conformance/spec.h"
#include "store/conformance/subject.h"
#include "store/store.h"

namespace baton::base {

inline void PrintTo(Duration duration, std::ostream* out) { *out << duration.ms << " ms"; }
inline void PrintTo(Time time, std::ostream* out) { *out << format_time(time); }

}  // namespace baton::base

namespace baton::store {

inline void PrintTo(const JobId& id, std::ostream* out) { *out << to_string(id); }

}  // namespace baton::store

namespace baton::store::conformance {

using base::days;
using base::hours;
using base::milliseconds;
using base::minutes;
using base::seconds;

// "ok", or the code of the refusal.
template <class T>
std::string code_of(const Result<T>& result) {
  return result.ok() ? "ok" : std::string(name(result.error().code));
}

// The code and the sentence of a refusal.
inline std::string text_of(const Error& error) {
  return std::string(name(error.code)) + ": " + error.message;
}

// A command with what every such command has; the test sets the rest.
inline PatchJob patch_of(const JobId& id) {
  PatchJob command;
  command.id = id;
  return command;
}
inline QueueUpdate update_of(std::string queue) {
  QueueUpdate update;
  update.name = std::move(queue);
  return update;
}

struct BatchKind {
  bool atomic = true;
  bool chain = false;
};

// What a test says of a claim; the rest is as most claims are.
struct ClaimWish {
  std::vector<std::string> queues = {"default"};
  int max = 1;
  std::vector<std::string> types = {};
  std::optional<Duration> lease = {};
  std::string worker = "w1";
};

class Suite : public testing::TestWithParam<SubjectFactory> {
 protected:
  void SetUp() override;
  void TearDown() override;

  Subject& subject() { return *subject_; }
  Store& store() { return subject_->store(); }
  Oracle& oracle() { return oracle_; }

  // Time. `pass` only turns the clock: the store finds out with its next command. `advance` also
  // makes the store apply what is due.
  Time now() { return subject_->clock().wall(); }
  void pass(Duration by) { subject_->clock().advance(by); }
  void advance(Duration by);
  void advance_to(Time time) { advance(time - now()); }
  TimersAnswer run_timers();

  // Submitting. `make` is for submissions that must be accepted.
  Result<MadeJob> submit(const Spec& spec);
  Result<SubmitAnswer> submit_batch(const std::vector<Spec>& specs, BatchKind kind = {});
  JobId make(const Spec& spec = Spec());
  std::vector<JobId> make_all(const std::vector<Spec>& specs, BatchKind kind = {});

  // Claiming. `claim_one` and `running` are for claims that must give exactly that job.
  std::vector<ClaimedJob> claim(const ClaimWish& wish = {});
  Result<ClaimAnswer> try_claim(ClaimRequest request);
  std::vector<JobId> claim_ids(const ClaimWish& wish);
  ClaimedJob claim_one(const std::string& queue = "default");
  ClaimedJob claim_job(const JobId& id);
  ClaimedJob running(const Spec& spec = Spec());

  // A worker's calls.
  Result<CallAnswer> work(const WorkCall& call);
  std::vector<Result<CallAnswer>> work_all(const std::vector<WorkCall>& calls);
  static WorkCall call_of(CallKind kind, const ClaimedJob& claimed);
  Result<CallAnswer> start(const ClaimedJob& claimed);
  Result<CallAnswer> start(const ClaimedJob& claimed, Duration execution_limit);
  Result<CallAnswer> heartbeat(const ClaimedJob& claimed);
  Result<CallAnswer> commit(const ClaimedJob& claimed, const std::string& result = "{}");
  Result<CallAnswer> commit(const ClaimedJob& claimed, const std::vector<Spec>& children);
  Result<CallAnswer> done(const ClaimedJob& claimed);
  Result<CallAnswer> ack(const ClaimedJob& claimed, const std::string& result = "{}");
  Result<CallAnswer> ack(const ClaimedJob& claimed, const std::vector<Spec>& children);
  Result<CallAnswer> nack(const ClaimedJob& claimed,
                          FailureCategory category = FailureCategory::kTemporary);
  Result<CallAnswer> nack_after(const ClaimedJob& claimed, Duration retry_after);
  Result<CallAnswer> reject(const ClaimedJob& claimed);
  Result<CallAnswer> confirm_cancel(const ClaimedJob& claimed);
  Result<CallAnswer> release(const ClaimedJob& claimed, std::optional<Duration> delay = {},
                             const std::string& reason = "");
  Result<CallAnswer> spawn(const ClaimedJob& claimed, const std::vector<Spec>& children);
  // Starts and commits, and leaves DONE to come.
  ClaimedJob committed(const Spec& spec = Spec());

  // Jobs that have ended, made from a submission that can be claimed at once.
  JobId completed(const Spec& spec = Spec());
  JobId failed(const Spec& spec = Spec());         // by a permanent failure
  JobId dead_lettered(const Spec& spec = Spec());  // by using up its only attempt
  JobId cancelled(const Spec& spec = Spec());
  // Ends a waiting job by claiming it: COMPLETED, or by a permanent failure.
  void complete(const JobId& id);
  void fail(const JobId& id);

  // Operating.
  Result<JobAnswer> cancel(const JobId& id, bool force = false, const std::string& reason = "");
  Result<JobAnswer> reject_job(const JobId& id, const std::string& reason = "not allowed");
  Result<JobAnswer> submit_draft(const JobId& id);
  Result<JobAnswer> patch(const PatchJob& command);
  Result<JobAnswer> redrive(const JobId& id) { return redrive({.id = id}); }
  Result<JobAnswer> redrive(const RedriveJob& command);
  JobId redriven(const JobId& id);  // the copy
  Result<Deleted> remove(const JobId& id);

  // Queues and accounts. `use_profile` makes a queue that is called like its profile.
  Result<Queue> set_queue(const QueueUpdate& update);
  Result<Deleted> remove_queue(const std::string& name);
  Result<Queue> get_queue(const std::string& name);
  std::string use_profile(const std::string& profile);
  std::string use_profile(const std::string& profile, QueueUpdate update);
  Result<Account> grant(const GrantCredits& command);
  void give(const std::string& account, Amount amount, Tier tier = Tier::kUser);
  Account account(const std::string& id);
  std::vector<LedgerEntry> entries(const std::string& account);  // all of them
  Result<std::vector<LedgerEntry>> try_entries(const EntriesPage& page);
  Pruned prune(std::int64_t limit = 1000);

  // Reading.
  Result<std::shared_ptr<const JobRecord>> try_get(const JobId& id);
  std::shared_ptr<const JobRecord> get(const JobId& id);
  lifecycle::JobFacts facts_of(const JobId& id) { return get(id)->facts; }
  std::string state_of(const JobId& id);  // the canonical name
  std::vector<std::string> states_of(const std::vector<JobId>& ids);
  std::string word_of(const JobId& id);     // as the profile calls it
  std::string steps_of(const JobId& id);    // "create:PENDING ready:SCHEDULED …"
  std::string words_of(const JobId& id);    // the profile's words, repetitions left out
  std::string failure_of(const JobId& id);  // "TEMPORARY code", empty when there is none
  Result<JobList> try_list(const ListJobs& filter);
  std::vector<JobId> list_ids(const ListJobs& filter);
  Result<Explanation> try_explain(const JobId& id);
  std::string explain_code(const JobId& id);
  Result<Stats> try_stats(const StatsPage& page);
  Stats stats();  // the first page

  // An answer shows the job as a reader finds it right afterwards, but for what no longer matters
  // to decisions: a store may keep that in its rows only.
  void expect_as_stored(const JobId& id, lifecycle::JobFacts answered);
  // The oracle looks at everything now.
  void audit(bool timers_applied = false);
  // A store that is closed, or one that lost its memory, cannot be looked at any more.
  void end_watch() { watches_ = false; }
  void restart(Duration closed_for = {});
  void restart_if_possible() {
    if (subject_->survives_restart()) restart();
  }

 private:
  void log(const std::string& step);
  void changed();
  template <class Answer, class Call>
  Result<Answer> ask(const std::string& step, Call&& call);
  Result<CallAnswer> work_with(CallKind kind, const ClaimedJob& claimed,
                               const std::vector<Spec>& children);
  using OperateCall = std::function<void(Done<JobAnswer>)>;
  Result<JobAnswer> operate(const std::string& step, const OperateCall& call);
  Snapshot snapshot();

  std::unique_ptr<Subject> subject_;
  Oracle oracle_;
  std::set<std::string> accounts_;
  std::vector<std::string> steps_;
  bool watches_ = true;
};

template <class Answer, class Call>
Result<Answer> Suite::ask(const std::string& step, Call&& call) {
  Result<Answer> answer = await<Answer>(step, std::forward<Call>(call));
  log(step + " -> " + (answer.ok() ? "ok" : text_of(answer.error())));
  return answer;
}

}  // namespace baton::store::conformance
