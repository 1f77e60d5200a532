// The file store takes on the conformance suite, recovery included, and what is true of it alone.
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <future>

#include "base/eventually.h"
#include "base/temporary_directory.h"
#include "file_subject.h"
#include "store/conformance/await.h"
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

SubjectFactory file_subject() {
  return {"file", [] { return std::make_unique<FileSubject>(local::Tuning{}); }};
}

// Accounts leave memory as soon as they may.
SubjectFactory forgetful_file_subject() {
  return {"file", [] {
            local::Tuning tuning;
            tuning.accounts_kept = 0;
            return std::make_unique<FileSubject>(tuning);
          }};
}

}  // namespace

BATON_CONFORMANCE(File, file_subject());
BATON_CONFORMANCE_RECOVERY(File, file_subject());
BATON_CONFORMANCE_LEASE_RECOVERY(File, file_subject());

BATON_CONFORMANCE_SUITE(ForgetfulFile, Quota, forgetful_file_subject());
BATON_CONFORMANCE_SUITE(ForgetfulFile, Credits, forgetful_file_subject());
BATON_CONFORMANCE_SUITE(ForgetfulFile, Recovery, forgetful_file_subject());

// ---- The file store alone ---------------------------------------------------------------------

class FileStore : public Suite {};
BATON_CONFORMANCE_SUITE(File, FileStore, file_subject());

TEST_P(FileStore, ADirectoryBelongsToOneStore) {
  const auto& directory = dynamic_cast<FileSubject&>(subject()).directory();
  const base::ManualClock clock(kStart);
  const auto second = local::open_file_store(options_for(directory, clock));
  ASSERT_EQ(code_of(second), "conflict");
  EXPECT_NE(second.error().message.find(std::to_string(getpid())), std::string::npos)
      << second.error().message;
}

// Claims of a backlog stood in one line with lists.
TEST_P(FileStore, AClaimDoesNotWaitBehindLists) {
  const JobId id = make();
  restart();  // from now on the job is in the catalog only
  end_watch();
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  constexpr int kLists = 8;
  std::atomic<int> begun = 0;
  std::atomic<int> ended = 0;
  for (int i = 0; i < kLists; ++i) {
    store().list({}, [&, gone](const Result<JobList>&) {
      ++begun;
      gone.wait();
      ++ended;
    });
  }
  EXPECT_TRUE(base::eventually([&] { return begun > 0; }));
  const std::vector<store::ClaimedJob> claimed = claim();
  const auto looked_at = try_get(id);
  EXPECT_EQ(ended, 0) << "the lists are still held";
  go.set_value();
  EXPECT_TRUE(base::eventually([&] { return ended == kLists; }));
  ASSERT_EQ(claimed.size(), 1u);
  EXPECT_EQ(claimed.front().job, id);
  EXPECT_NE(claimed.front().record, nullptr);
  EXPECT_EQ(code_of(looked_at), "ok") << "and neither does a look at one job";
}

TEST_P(FileStore, ManyJobsComeBackInTheirOrder) {
  std::vector<JobId> ids;
  for (int i = 0; i < 5; ++i) {
    const auto some = make_all(std::vector<Spec>(200));
    ids.insert(ids.end(), some.begin(), some.end());
    if (i == 2) restart();
  }
  restart();
  EXPECT_EQ(claim_ids({.max = 1000}), ids);
}

TEST_P(FileStore, APlaceThatCannotBeMadeIsAClearError) {
  const base::ManualClock clock(kStart);
  const auto opened = local::open_file_store(options_for("/proc/no/such/place", clock));
  ASSERT_EQ(code_of(opened), "store_unavailable");
  EXPECT_NE(opened.error().message.find("/proc/no"), std::string::npos) << opened.error().message;
}

// Once, a second store came in when the file of the lock was removed, and both wrote to one log.
TEST_P(FileStore, ASecondStoreIsKeptOutThoughTheLockFileIsGone) {
  const auto& directory = dynamic_cast<FileSubject&>(subject()).directory();
  std::filesystem::remove(directory + "/lock");
  const base::ManualClock clock(kStart);
  EXPECT_EQ(code_of(local::open_file_store(options_for(directory, clock))), "conflict");
}

// ---- Rights -----------------------------------------------------------------------------------

unsigned rights_of_others(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 0077U : 0777U;
}

void expect_private(const std::string& directory) {
  EXPECT_EQ(rights_of_others(directory), 0u) << directory;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    EXPECT_EQ(rights_of_others(entry.path()), 0u) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 3) << "with the write-ahead log of the catalog";
}

TEST_P(FileStore, NobodyElseMayReadWhatItMakes) {
  const base::TemporaryDirectory above;
  const std::string directory = above.path() + "/data";
  const base::ManualClock clock(kStart);
  const mode_t before = ::umask(0);
  const auto made = local::open_file_store(options_for(directory, clock));
  ::umask(before);
  ASSERT_TRUE(made.ok());
  expect_private(directory);
}

TEST_P(FileStore, TakesTheRightsOfOthersFromAnOlderDirectory) {
  const auto& directory = dynamic_cast<FileSubject&>(subject()).directory();
  make();
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    ASSERT_EQ(::chmod(entry.path().c_str(), 0644), 0);
  ASSERT_EQ(::chmod(directory.c_str(), 0755), 0);
  restart();
  expect_private(directory);
}

// ---- The clock --------------------------------------------------------------------------------

class ClockOf : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Store>> open(bool accept_clock = false) {
    local::FileOptions options = options_for(directory_.path(), clock_);
    options.accept_clock = accept_clock;
    options.notice = [this](const std::string& notice) { notices_.push_back(notice); };
    return local::open_file_store(options);
  }
  static bool submit(Store& store) {
    auto job = std::make_shared<Submission>();
    job->type = "mail";
    SubmitBatch batch;
    batch.jobs = {std::move(job)};
    return await<SubmitAnswer>("submit", [&](auto done) { store.submit(batch, std::move(done)); })
        .ok();
  }

  base::TemporaryDirectory directory_;
  base::ManualClock clock_{kStart};
  std::vector<std::string> notices_;
};

// Once, a start with a clock ten years ahead ended every job, and the store stayed there.
TEST_F(ClockOf, AStoreWithJobsDoesNotFollowAClockThatIsFarAhead) {
  ASSERT_TRUE(submit(**open()));
  clock_.jump_wall(kStart + base::days(3650));
  const auto refused = open();
  ASSERT_EQ(code_of(refused), "store_unavailable");
  EXPECT_EQ(refused.error().field, "accept_clock");
  clock_.jump_wall(kStart + base::days(29));
  const auto opened = open();
  ASSERT_TRUE(opened.ok()) << "nothing of the wrong time was kept";
  EXPECT_EQ(notices_, std::vector<std::string>{});
}

TEST_F(ClockOf, AClockFarAheadCanBeAccepted) {
  ASSERT_TRUE(submit(**open()));
  clock_.jump_wall(kStart + base::days(3650));
  EXPECT_TRUE(open(true).ok());
}

TEST_F(ClockOf, AnEmptyStoreFollowsAnyClock) {
  ASSERT_TRUE(open().ok());
  clock_.jump_wall(kStart + base::days(3650));
  EXPECT_TRUE(open().ok());
}

TEST_F(ClockOf, AClockThatIsBehindIsTold) {
  ASSERT_TRUE(submit(**open()));
  clock_.jump_wall(Time{kStart.ms - base::days(2).ms});
  EXPECT_TRUE(open().ok());
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("before the last change"), std::string::npos) << notices_[0];
}

}  // namespace baton::store::conformance
