// The memory store takes on the conformance suite, and what is true of local stores alone: memory
// forgets when it is closed, the store's own thread fires its timers, and a wall clock that jumps
// moves nothing.
#include <future>

#include "read_budgets.h"
#include "store/conformance/suites.h"
#include "store/local/local_store.h"

namespace baton::store::conformance {
namespace {

constexpr Time kStart{1'700'000'000'000};

class MemorySubject final : public Subject {
 public:
  explicit MemorySubject(const local::Tuning& tuning = {}) : tuning_(tuning) { open(); }
  Store& store() override { return *store_; }
  base::ManualClock& clock() override { return clock_; }
  void restart(Duration closed_for) override {
    store_.reset();
    clock_.advance(closed_for);
    open();
  }
  bool survives_restart() const override { return false; }

 private:
  void open() {
    store_ = local::open_memory_store({&clock_, 42, {}, tuning_, expect_within_budget});
  }

  const local::Tuning tuning_;
  base::ManualClock clock_{kStart};
  std::unique_ptr<Store> store_;
};

SubjectFactory memory_subject() {
  return {"memory", [] { return std::make_unique<MemorySubject>(); }};
}

// Accounts leave memory as soon as they may.
SubjectFactory forgetful_memory_subject() {
  return {"memory", [] {
            local::Tuning tuning;
            tuning.accounts_kept = 0;
            return std::make_unique<MemorySubject>(tuning);
          }};
}

}  // namespace

BATON_CONFORMANCE(Memory, memory_subject());

BATON_CONFORMANCE_SUITE(ForgetfulMemory, Quota, forgetful_memory_subject());
BATON_CONFORMANCE_SUITE(ForgetfulMemory, Credits, forgetful_memory_subject());

// ---- Memory alone -----------------------------------------------------------------------------

class MemoryStore : public Suite {};
BATON_CONFORMANCE_SUITE(Memory, MemoryStore, memory_subject());

TEST_P(MemoryStore, ForgetsEverythingWhenItIsClosed) {
  EXPECT_FALSE(subject().survives_restart());
  const JobId id = make(Spec().key("k"));
  restart();
  EXPECT_EQ(code_of(try_get(id)), "not_found");
  EXPECT_TRUE(list_ids({}).empty());
  make(Spec().key("k"));  // a new job, not a duplicate
}

TEST_P(MemoryStore, AWallClockThatJumpsMovesNothing) {
  const store::ClaimedJob claimed = running(Spec("leased").lease(seconds(10)));
  const JobId delayed = make(Spec("delayed").delay(seconds(10)));
  const Time before = facts_of(delayed).created_at;
  subject().clock().jump_wall(before + days(1));
  run_timers();
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  EXPECT_EQ(state_of(delayed), "DELAYED");
  subject().clock().jump_wall(before + Duration{-86'400'000});
  advance(seconds(10));
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
  EXPECT_EQ(state_of(delayed), "SCHEDULED");
  EXPECT_EQ(facts_of(delayed).scheduled_at, before + seconds(10));
  subject().clock().jump_wall(before + seconds(10));
}

TEST_P(MemoryStore, TheSameSeedGivesTheSameIds) {
  base::ManualClock clock(kStart);
  std::vector<JobId> ids;
  for (int i = 0; i < 2; ++i) {
    const auto store = local::open_memory_store({&clock, 7});
    const auto answer = await<SubmitAnswer>("submit", [&](auto done) {
      SubmitBatch batch;
      batch.jobs = {Spec().share()};
      store->submit(std::move(batch), std::move(done));
    });
    ASSERT_EQ(code_of(answer), "ok");
    ids.push_back(answer->results.at(0)->id);
  }
  EXPECT_EQ(ids[0], ids[1]);
}

TEST_P(MemoryStore, EveryCallIsAnsweredWhenTheStoreIsClosed) {
  base::ManualClock clock(kStart);
  std::vector<Awaited<SubmitAnswer>> awaited(200);
  {
    const auto store = local::open_memory_store({&clock, 7});
    for (auto& one : awaited) {
      SubmitBatch batch;
      batch.jobs = {Spec().share()};
      store->submit(std::move(batch), one.done());
    }
  }
  for (auto& one : awaited) {
    const std::string code = code_of(one.get("submit"));
    EXPECT_TRUE(code == "ok" || code == "shutting_down") << code;
  }
}

// With the system's clock, and nobody calling: the store's own thread must wake up. The test looks
// a second later; a timer that only a call would fire bears the time of that look.
TEST_P(MemoryStore, FiresItsTimersByItself) {
  const base::SystemClock clock;
  const auto store = local::open_memory_store({&clock, 7});
  SubmitBatch batch;
  batch.jobs = {Spec().delay(milliseconds(50)).share()};
  const auto answer = await<SubmitAnswer>(
      "submit", [&](auto done) { store->submit(std::move(batch), std::move(done)); });
  ASSERT_EQ(code_of(answer), "ok");
  std::promise<void> never;
  never.get_future().wait_for(std::chrono::seconds(1));
  const auto record = await<std::shared_ptr<const JobRecord>>(
      "get", [&](auto done) { store->get(answer->results.at(0)->id, std::move(done)); });
  ASSERT_EQ(code_of(record), "ok");
  const lifecycle::JobFacts& facts = (*record)->facts;
  EXPECT_EQ(facts.state, JobState::kScheduled);
  EXPECT_GE(facts.scheduled_at, facts.created_at + milliseconds(50));
  EXPECT_LT(facts.scheduled_at, facts.created_at + milliseconds(900));
}

}  // namespace baton::store::conformance
