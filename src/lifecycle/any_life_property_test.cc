// Random lives of jobs: time passes, timers fall due, workers and clients ask for anything at all.
// After every turn the job, its rows, its history and its account must tell the same story.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "lifecycle/watched_job.h"

namespace baton::lifecycle {
namespace {
using base::Random;
using Row = std::tuple<JobState, JobState, Trigger>;

const RetryPolicy& pick_retry(Random& random, RetryPolicy& policy) {
  policy.max_attempts = static_cast<int>(1 + random.below(4));
  policy.strategy = static_cast<Strategy>(random.below(4));
  policy.initial = Duration{static_cast<std::int64_t>(random.below(3) * 400)};
  policy.multiplier = 1.0 + static_cast<double>(random.below(3));
  policy.max = Duration{1'500};
  policy.jitter = static_cast<Jitter>(random.below(3));
  policy.table = {Duration{0}, Duration{300}, Duration{5'000}};
  return policy;
}

Terms pick_terms(const Profile& profile, Random& random) {
  Terms terms;
  terms.profile = &profile;
  terms.retry = profile.policy.retry;
  if (!profile.policy.retry_pinned) pick_retry(random, terms.retry);
  terms.lease = Duration{static_cast<std::int64_t>(100 + random.below(1'500))};
  terms.execution = Duration{static_cast<std::int64_t>(200 + random.below(3'000))};
  terms.lifetime = Duration{static_cast<std::int64_t>(500 + random.below(20'000))};
  terms.timeout_is = static_cast<FailureIs>(random.below(2));
  terms.system_is = static_cast<FailureIs>(random.below(2));
  return terms;
}

// Start and commit more often than the rest: both must come, in this order, for a commit to happen.
CallKind pick_call(Random& random) {
  const std::uint64_t number = random.below(kCallKindCount + 8);
  if (number < kCallKindCount) return static_cast<CallKind>(number);
  return number % 2 == 0 ? CallKind::kStart : CallKind::kCommit;
}

class Life : public WatchedJob {
 public:
  Life(const Profile& profile, std::uint64_t seed) : random_(seed) {
    terms_ = pick_terms(profile, random_);
  }

  void be_born();
  // One turn: time passes, what is due is applied, something happens.
  void turn(std::uint32_t choice);
  // Time passes until nothing can hold the job any more.
  void grow_old();
  // Whether its lease ended between COMMITTED and DONE.
  bool was_recovered() const { return recovered_; }

 private:
  bool allowed(const Result<Change>& result, bool expected, const char* what);
  Result<Change> ask(const Event& event, std::uint64_t number);

  void pass_time();
  void settle_due(std::uint64_t number);
  void note_due(std::uint64_t number);
  int counted_attempts() const;
  void note_lost_execution(Duration wait);

  void act(std::uint32_t kind);
  void submit();
  void settle_dependencies();
  void claim();
  void call(CallKind kind);
  void call_stale();
  void note_call(CallKind kind, Duration wait);
  void cancel();
  void reject();
  void patch();
  void restart();
  void look_around();

  Verdict some_verdict();
  LeaseToken new_token();

  Random random_;
  Duration draft_delay_{};
  bool recovered_ = false;
};

bool Life::allowed(const Result<Change>& result, bool expected, const char* what) {
  demand(result.ok() == expected, what);
  return result.ok();
}

LeaseToken Life::new_token() {
  LeaseToken token;
  for (auto& byte : token.bytes)
    byte = static_cast<std::uint8_t>(random_.next());
  return token;
}

Verdict Life::some_verdict() {
  switch (random_.below(8)) {
    case 0:
      return Verdict::bad(static_cast<JobState>(8 + random_.below(4)));
    case 1:
    case 2:
      return Verdict::waiting();
    default:
      return Verdict::ready();
  }
}

void Life::be_born() {
  Create create;
  create.terms = &terms_;
  create.priority = static_cast<Priority>(random_.below(5));
  create.draft = random_.below(4) == 0;
  create.dependencies = some_verdict();
  if (random_.below(3) == 0) create.delay = Duration{static_cast<std::int64_t>(random_.below(900))};
  if (random_.below(3) == 0) create.not_before = now_ + Duration{300};
  create.cost = random_.below(2) == 0 ? 0 : 7;
  create.has_callback = random_.below(2) == 0;
  create.has_account = random_.below(2) == 0;
  if (!terms_.profile->has(JobState::kCreated) && create.draft) {
    const auto refused = decide(job_, create, now_, 0);
    demand(!refused.ok() && refused.error().code == Code::kNotInProfile, "a draft is refused");
    create.draft = false;
  }
  cost_ = create.cost;
  balance_ = post({}, PostingKind::kGrant, 10).value();
  if (cost_ > 0) balance_ = post(balance_, PostingKind::kReserve, cost_).value();
  facts_.terms = &terms_;
  facts_.submitted = !create.draft;
  facts_.dependencies = create.draft ? Verdict::waiting() : create.dependencies;
  draft_delay_ = create.delay;
  wake_at_ = create.not_before;
  if (!create.draft && draft_delay_ > Duration{}) wake_at_ = now_ + draft_delay_;
  settled_at_ = now_;
  apply(decide(job_, create, now_, 0).value());
}

void Life::pass_time() {
  const Timers timers = timers_of(job_);
  const std::uint64_t how = random_.below(16);
  Time to = now_ + Duration{static_cast<std::int64_t>(random_.below(200))};
  if (how < 3 && timers.next.is_set()) to = timers.next;
  if (how == 3 && timers.next.is_set()) to = Time{timers.next.ms - 1};
  if (how == 4) to = now_ + Duration{static_cast<std::int64_t>(random_.below(2'000))};
  if (how == 5 && random_.below(4) == 0) to = kBirth + terms_.lifetime;
  if (how == 6 && random_.below(4) == 0) to = Time{(kBirth + terms_.lifetime).ms - 1};
  if (how < 10) now_ = std::max(now_, to);
}

// Before a timer applies: what it will do, by the driver's own reckoning.
void Life::note_due(std::uint64_t number) {
  const bool ended = is_terminal(derived());
  if (!ended && !committed() && now_ >= kBirth + terms_.lifetime) {
    facts_.expired = true;
    return;
  }
  if (!runs() || committed()) return;
  const ExecutionFacts& execution = rows_.back().execution;
  if (now_ >= execution.deadline_at) {
    note_lost_execution(backoff(terms_.retry, counted_attempts(), {}, number));
  } else if (now_ >= execution.lease_expires_at) {
    note_lost_execution(terms_.profile->policy.lost_lease_wait);
  }
}

int Life::counted_attempts() const {
  const auto released = std::count_if(rows_.begin(), rows_.end(), [](const ExecutionRow& row) {
    return is_release(row.failure.category, row.failure.code);
  });
  return static_cast<int>(rows_.size()) -
         std::min(static_cast<int>(released), terms_.profile->policy.free_releases);
}

void Life::note_lost_execution(Duration wait) {
  if (cancel_asked_) facts_.cancelled = true;
  wake_at_ = now_ + wait;
}

void Life::settle_due(std::uint64_t number) {
  note_due(number);
  settled_at_ = now_;
  const bool due = first_due(job_, now_).has_value();
  const auto change = settle(job_, now_, number);
  demand(change.has_value() == due, "settle does something exactly when a timer is due");
  recovered_ = recovered_ || (change && runs() && committed());
  if (change) apply(*change);
  demand(!first_due(job_, now_).has_value(), "nothing is due after settle");
  check_everything();
}

void Life::turn(std::uint32_t choice) {
  random_ = Random(choice);
  pass_time();
  if (choice % 32 == 31) return restart();
  settle_due(random_.next());
  act(static_cast<std::uint32_t>(random_.below(24)));
  check_everything();
}

void Life::act(std::uint32_t kind) {
  if (kind < 3) return submit();
  if (kind < 5) return settle_dependencies();
  if (kind < 10) return claim();
  if (kind < 12) return call_stale();
  if (kind < 20) return call(pick_call(random_));
  if (kind == 20) return cancel();
  if (kind == 21) return reject();
  if (kind == 22) return patch();
  look_around();
}

Result<Change> Life::ask(const Event& event, std::uint64_t number) {
  auto result = decide(job_, event, now_, number);
  const auto again = decide(job_, event, now_, number);
  demand(result.ok() == again.ok(), "the same question has the same answer");
  if (result.ok() && again.ok()) {
    demand(result->job == again->job, "the same question has the same change");
  } else if (!result.ok() && !again.ok()) {
    demand(result.error() == again.error(), "the same question has the same refusal");
  }
  return result;
}

void Life::submit() {
  Submit event{some_verdict()};
  const JobState before = derived();
  const auto result = ask(event, 0);
  const bool in_time = now_ + draft_delay_ < kBirth + terms_.lifetime;
  if (!allowed(result, before == JobState::kCreated && in_time,
               "a draft, and only a draft, is submitted while it can run")) {
    const Code code = before == JobState::kCreated ? Code::kInvalidJob : Code::kInvalidTransition;
    demand(result.error().code == code, "submit is refused for what it lacks");
    return;
  }
  facts_.submitted = true;
  facts_.dependencies = event.dependencies;
  if (draft_delay_ > Duration{}) wake_at_ = now_ + draft_delay_;
  apply(*result);
}

void Life::settle_dependencies() {
  const DependenciesSettled event{some_verdict()};
  const JobState before = derived();
  const auto result = ask(event, 0);
  if (!allowed(result, before == JobState::kPending, "only PENDING waits for dependencies")) return;
  facts_.dependencies = event.verdict;
  apply(*result);
}

void Life::claim() {
  Claim event;
  event.token = new_token();
  if (random_.below(3) == 0) event.lease = Duration{random_.below(2) == 0 ? 150 : 60'000};
  if (!event.lease && random_.below(3) == 0) event.max_lease = Duration{200};
  const JobState before = derived();
  const auto result = ask(event, 0);
  if (!allowed(result, before == JobState::kScheduled, "only SCHEDULED is claimed")) return;
  rows_.push_back({});
  apply(*result);
  const ExecutionFacts& made = rows_.back().execution;
  demand(made.token == event.token, "the claim's token is kept");
  const Duration own = std::min(terms_.lease, event.max_lease.value_or(terms_.lease));
  demand(made.lease == event.lease.value_or(own), "the claim's lease is kept");
  demand(made.deadline_at == now_ + terms_.execution, "the deadline counts from the claim");
}

void Life::call(CallKind kind) {
  if (rows_.empty()) return call_stale();
  const auto meant = random_.below(5) == 0 ? random_.below(rows_.size()) : rows_.size() - 1;
  const ExecutionRow& row = rows_[meant];
  Call event;
  event.kind = kind;
  event.attempt = static_cast<int>(meant) + 1;
  event.token = row.execution.token;
  if (meant + 1 < rows_.size()) event.former_token = row.execution.token;
  if (random_.below(4) == 0) event.execution = Duration{400};
  if (random_.below(2) == 0) event.progress = static_cast<int>(random_.below(101));
  event.failure = {static_cast<FailureCategory>(random_.below(5)), "some_code", "why", ""};
  if (random_.below(3) == 0 && !terms_.profile->policy.retry_pinned) {
    event.retry_after = Duration{700};
  }
  if (random_.below(3) == 0 && !terms_.profile->policy.retry_pinned) event.delay = Duration{600};
  const std::uint64_t number = random_.next();
  const bool open = is_open(row);
  const bool was_committed = committed();
  const auto result = ask(event, number);
  if (!result.ok()) return;
  const bool aborts = kind == CallKind::kNack || kind == CallKind::kReject ||
                      kind == CallKind::kCancelled || kind == CallKind::kRelease;
  demand(open || result->repeated, "a call on a closed execution writes nothing");
  demand(!aborts || !was_committed, "nothing aborts after a commit");
  if (aborts) {
    const Policy& policy = terms_.profile->policy;
    note_call(kind, kind == CallKind::kRelease
                        ? std::max(event.delay.value_or(Duration{}), policy.lost_lease_wait)
                        : backoff(terms_.retry, counted_attempts(),
                                  event.retry_after.value_or(Duration{}), number));
  }
  if (kind == CallKind::kSpawn) staged_ = true;
  apply(*result);
}

void Life::note_call(CallKind kind, Duration wait) {
  if (kind == CallKind::kReject) {
    facts_.rejected = true;
  } else if (kind == CallKind::kCancelled) {
    demand(cancel_asked_, "a worker cancels only on request");
    facts_.cancelled = true;
  } else {
    note_lost_execution(wait);
  }
}

void Life::call_stale() {
  Call event;
  event.kind = static_cast<CallKind>(random_.below(kCallKindCount));
  event.attempt = static_cast<int>(random_.below(rows_.size() + 2));
  event.token = new_token();
  const auto at = static_cast<std::size_t>(event.attempt);
  if (at >= 1 && at < rows_.size() && random_.below(2) == 0) {
    event.former_token = rows_[at - 1].execution.token;
  }
  const auto result = ask(event, 0);
  demand(!result.ok() && result.error().code == Code::kStaleLease, "a wrong token is stale");
}

void Life::cancel() {
  Cancel event;
  event.force = random_.below(3) == 0;
  const JobState before = derived();
  const auto result = ask(event, 0);
  const bool possible = before == JobState::kCancelled || (!is_terminal(before) && !committed());
  if (!allowed(result, possible, "cancel works until the job has committed or ended")) return;
  if (before == JobState::kRunning && !event.force) {
    demand(result->repeated == cancel_asked_, "a second request is a repeat");
    cancel_asked_ = true;
  } else if (!is_terminal(before)) {
    facts_.cancelled = true;
  }
  apply(*result);
}

void Life::reject() {
  const JobState before = derived();
  const auto result = ask(Reject{"no"}, 0);
  const bool possible = terms_.profile->has(JobState::kRejected) &&
                        (before == JobState::kPending || before == JobState::kDelayed ||
                         before == JobState::kScheduled);
  if (!allowed(result, possible, "an operator rejects what has not run yet")) return;
  facts_.rejected = true;
  apply(*result);
}

void Life::patch() {
  Patch event;
  if (random_.below(2) == 0) event.priority = static_cast<Priority>(random_.below(5));
  if (random_.below(2) == 0) event.has_callback = random_.below(2) == 0;
  event.labels = random_.below(2) == 0;
  if (random_.below(2) == 0) event.if_version = job_.version - (random_.below(4) == 0 ? 1 : 0);
  const JobState before = derived();
  const bool waits = before == JobState::kDelayed || before == JobState::kRetrying;
  if (random_.below(3) == 0) {
    event.run_at = now_ + Duration{static_cast<std::int64_t>(random_.below(1'500)) - 300};
  }
  const bool pinned = before == JobState::kRetrying && terms_.profile->policy.retry_pinned;
  const bool time_fits =
      !event.run_at || (waits && !pinned && *event.run_at < kBirth + terms_.lifetime);
  const auto result = ask(event, 0);
  const bool current = event.if_version.value_or(job_.version) == job_.version;
  const bool possible = current && !is_terminal(before) &&
                        (!event.priority || before != JobState::kRunning) && time_fits;
  if (!allowed(result, possible, "a patch needs the current version and a live job")) return;
  const bool due = event.run_at && *event.run_at <= now_;
  if (event.run_at) wake_at_ = *event.run_at;
  demand(result->history.empty() != due && result->effects.empty(),
         "a patch moves only what is due");
  apply(*result);
}

void Life::restart() {
  const auto result = ask(Restart{}, 0);
  if (!allowed(result, true, "a restart is always possible")) return;
  demand(!result->durable && !result->job_changed, "a restart is not written");
  apply(*result);
  if (!runs()) return;
  const ExecutionFacts& execution = rows_.back().execution;
  const Time full = now_ + execution.lease;
  demand(execution.lease_expires_at == (committed() ? full : std::min(full, execution.deadline_at)),
         "a restart gives one full lease");
}

void Life::look_around() {
  const JobState state = derived();
  const auto redrive = ask(Redrive{}, 0);
  const auto remove = ask(Delete{}, 0);
  allowed(redrive, is_bad_ending(state), "only bad endings are redriven");
  allowed(remove, is_terminal(state), "only ended jobs are deleted");
  if (redrive.ok()) demand(redrive->job == job_, "a redrive leaves the old job alone");
  if (remove.ok()) demand(remove->job == job_, "a delete leaves the job as it was");
  const auto timer = ask(TimerDue{static_cast<Timer>(random_.below(4))}, 0);
  demand(!timer.ok(), "a timer that is not due does nothing");
}

void Life::grow_old() {
  now_ = std::max(now_, kBirth + terms_.lifetime);
  settle_due(1);
  if (job_.state == JobState::kRunning) {
    demand(committed(), "only a committed job outlives its lifetime");
    now_ = std::max(now_, rows_.back().execution.lease_expires_at);
    settle_due(1);
    demand(job_.state == JobState::kCompleted, "recovery finishes what has committed");
  }
  demand(is_terminal(job_.state), "every job ends");
  for (std::uint32_t kind = 0; kind < 24; ++kind) {
    act(kind);
    check_everything();
  }
}

struct Seen {
  std::set<Row> rows;
  int recovered = 0;
};

std::string live(const Profile& profile, std::uint64_t seed,
                 const std::vector<std::uint32_t>& turns, Seen* seen) {
  Life life(profile, seed);
  life.be_born();
  for (const std::uint32_t choice : turns)
    life.turn(choice);
  life.grow_old();
  if (seen != nullptr) {
    for (const HistoryEntry& entry : life.history())
      seen->rows.insert({entry.from, entry.to, entry.trigger});
    seen->recovered += life.was_recovered() ? 1 : 0;
  }
  return life.fault();
}

class AnyLifeOf : public testing::TestWithParam<const Profile*> {};

TEST_P(AnyLifeOf, KeepsEveryPromise) {
  EXPECT_TRUE(rc::check([&](std::uint64_t seed, const std::vector<std::uint32_t>& turns) {
    RC_ASSERT(live(*GetParam(), seed, turns, nullptr) == "");
  }));
}

INSTANTIATE_TEST_SUITE_P(EveryProfile, AnyLifeOf, testing::ValuesIn(all_profiles()),
                         [](const auto& one) { return std::string(one.param->name); });

// The same numbers every time, so that nothing about this run is left to luck.
TEST(AnyLife, KeepsEveryPromiseAndTakesEveryRowOfTheTable) {
  Seen seen;
  for (const Profile* profile : all_profiles()) {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
      Random random(seed);
      std::vector<std::uint32_t> turns(5 + random.below(60));
      for (auto& turn : turns)
        turn = static_cast<std::uint32_t>(random.next());
      ASSERT_EQ(live(*profile, seed, turns, &seen), "") << profile->name << " seed " << seed;
    }
  }
  for (const Transition& row : transitions()) {
    EXPECT_TRUE(seen.rows.contains({row.from, row.to, row.trigger}))
        << name(row.from) << " to " << name(row.to) << " by " << name(row.trigger);
  }
  EXPECT_EQ(seen.rows.size(), transitions().size());
  EXPECT_GT(seen.recovered, 20);
}

}  // namespace
}  // namespace baton::lifecycle
