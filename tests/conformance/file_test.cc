// The file store takes on the conformance suite, recovery included, and what is true of it alone.
#include <filesystem>

#include "base/temporary_directory.h"
#include "store/conformance/suites.h"
#include "store/local/local_store.h"

namespace baton::store::conformance {
namespace {

constexpr Time kStart{1'700'000'000'000};

local::FileOptions options_for(const std::string& directory, const base::Clock& clock) {
  local::FileOptions options;
  options.clock = &clock;
  options.seed = 42;
  options.directory = directory;
  options.segment_bytes = 256 << 10;
  return options;
}

class FileSubject final : public Subject {
 public:
  FileSubject() { open(); }
  Store& store() override { return *store_; }
  base::ManualClock& clock() override { return clock_; }
  void restart(Duration closed_for) override {
    store_.reset();
    clock_.advance(closed_for);
    open();
  }
  bool survives_restart() const override { return true; }
  const std::string& directory() const { return directory_.path(); }

 private:
  void open() {
    auto opened = local::open_file_store(options_for(directory_.path(), clock_));
    if (!opened) throw CannotGoOn(opened.error().message);
    store_ = std::move(*opened);
  }

  base::TemporaryDirectory directory_;
  base::ManualClock clock_{kStart};
  std::unique_ptr<Store> store_;
};

SubjectFactory file_subject() {
  return {"file", [] { return std::make_unique<FileSubject>(); }};
}

}  // namespace

BATON_CONFORMANCE(File, file_subject());
BATON_CONFORMANCE_RECOVERY(File, file_subject());
BATON_CONFORMANCE_LEASE_RECOVERY(File, file_subject());

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

}  // namespace baton::store::conformance
