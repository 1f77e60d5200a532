// Rounds of load, kill -9 and recovery on one directory; the parent knows what was acknowledged and
// looks for it after every kill.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "base/random.h"
#include "base/temporary_directory.h"
#include "blocking.h"
#include "child.h"
#include "store/local/local_store.h"
#include "witness.h"

namespace baton::crash {
namespace {
using std::chrono::milliseconds;
using store::JobRecord;
using store::Store;

int rounds() {
  const char* wanted = std::getenv("BATON_CRASH_ROUNDS");
  return wanted == nullptr ? 50 : std::atoi(wanted);
}

std::unique_ptr<Store> open(const std::string& directory, const base::Clock& clock) {
  store::local::FileOptions options;
  options.clock = &clock;
  options.directory = directory;
  options.segment_bytes = 1 << 20;
  auto opened = store::local::open_file_store(options);
  EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
  return opened ? std::move(*opened) : nullptr;
}

// Everything about a job that a restart must leave alone.
std::string text_of(const JobRecord& record) {
  std::string text = to_string(record.id) + " " + std::to_string(record.number) + " " +
                     std::string(name(record.facts.state)) + " v" +
                     std::to_string(record.facts.version) + " attempt " +
                     std::to_string(record.facts.attempt) + " run_at " +
                     std::to_string(record.facts.run_at.ms);
  for (const auto& execution : record.executions) {
    text += " " + std::string(name(execution.facts.status)) + "@" +
            std::to_string(execution.facts.claimed_at.ms);
  }
  return text + " history " + std::to_string(record.history.size());
}

std::vector<std::string> all_of(Store& store) {
  std::vector<std::string> texts;
  store::ListJobs filter;
  filter.limit = 1000;
  while (true) {
    const auto page =
        blocking<store::JobList>([&](auto done) { store.list(filter, std::move(done)); });
    if (!page) throw std::runtime_error(page.error().message);
    for (const auto& job : page->jobs)
      texts.push_back(text_of(*job));
    if (page->next_before_number == 0) return texts;
    filter.before_number = page->next_before_number;
  }
}

void expect_well(const std::vector<std::string>& wrong, int round) {
  EXPECT_TRUE(wrong.empty()) << wrong.size() << " findings in round " << round
                             << ", first: " << (wrong.empty() ? "" : wrong.front());
}

// Works through everything that is left, with a clock that is turned. A claim may find nothing
// while what is due gives way to a projector that is behind, or is collected: a list waits for the
// projector, and some more claims for the rest.
void drain(Store& store, base::ManualClock& clock) {
  for (int idle = 0; idle < 20;) {
    const auto claimed = blocking<store::ClaimAnswer>([&](auto done) {
      ClaimRequest request;
      request.queues = {"default"};
      request.max = 1000;
      request.worker = "last";
      store.claim(std::move(request), std::move(done));
    });
    ASSERT_TRUE(claimed.ok());
    std::vector<WorkCall> calls;
    for (const store::ClaimedJob& one : claimed->executions) {
      WorkCall call;
      call.call = AckCall{};
      call.execution = one.execution;
      call.token = one.facts.execution.token;
      calls.push_back(call);
    }
    idle = calls.empty() ? idle + 1 : 0;
    if (calls.empty()) {
      const auto caught_up =
          blocking<store::JobList>([&](auto done) { store.list({}, std::move(done)); });
      ASSERT_TRUE(caught_up.ok());
      clock.advance(base::hours(1));
    }
    const auto answers = blocking<std::vector<Result<store::CallAnswer>>>(
        [&](auto done) { store.work(calls, std::move(done)); });
    ASSERT_TRUE(answers.ok());
  }
}

TEST(Crash, NothingAcknowledgedIsLostAndNothingIsCommittedTwice) {
  const base::TemporaryDirectory directory;
  base::Random random(static_cast<std::uint64_t>(rounds()));
  Witness witness;
  for (int round = 1; round <= rounds(); ++round) {
    {
      Child child(directory.path(), random.next() % 1'000'000, witness.next_number());
      const milliseconds after(5 + static_cast<int>(random.below(120)));
      ASSERT_TRUE(child.listen_and_kill(after, [&](const auto& line) { witness.hear(line); }))
          << "the child ended by itself in round " << round;
    }
    // The clock stands still, so that nothing but the restart itself can change anything.
    const base::SystemClock wall;
    const base::ManualClock clock(wall.wall());
    const bool thorough = round % 10 == 0 || round == rounds();
    auto store = open(directory.path(), clock);
    ASSERT_NE(store, nullptr);
    expect_well(witness.examine(*store, thorough), round);
    if (!thorough) continue;
    const auto before = all_of(*store);
    store.reset();
    store = open(directory.path(), clock);
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(all_of(*store), before) << "a second restart changed something";
  }
  EXPECT_GT(witness.submitted(), rounds());
  EXPECT_GT(witness.completed(), 0);

  base::SystemClock wall;
  base::ManualClock clock(wall.wall());
  const auto store = open(directory.path(), clock);
  ASSERT_NE(store, nullptr);
  drain(*store, clock);
  expect_well(witness.examine(*store, true), rounds() + 1);
  store::ListJobs filter;
  filter.limit = 1000;
  const auto stats = blocking<Stats>([&](auto done) { store->stats(std::move(done)); });
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(stats->live_jobs, 0) << "what was COMMITTED ends in DONE, what was lost runs again";
  RecordProperty("submitted", std::to_string(witness.submitted()));
  std::printf("%d rounds, %lld jobs acknowledged, %lld completions acknowledged\n", rounds(),
              static_cast<long long>(witness.submitted()),
              static_cast<long long>(witness.completed()));
}

}  // namespace
}  // namespace baton::crash
