#include "store/local/log/manifest.h"

#include <gtest/gtest.h>

#include "store/local/log/testing.h"

namespace baton::store::local {
namespace {

using base::SimulatedDisk;
using testbed::in_use;
using testbed::kBlock;
using testbed::kSmall;
using testbed::payload;

ManifestState of_store(std::uint64_t id) {
  ManifestState state;
  state.store_id = id;
  return state;
}

TEST(Manifest, KeepsWhatItIsTold) {
  SimulatedDisk disk(1);
  EXPECT_EQ(Manifest::read(disk).value(), std::nullopt);
  ASSERT_TRUE(Manifest::make(disk, of_store(7)).ok());
  {
    const auto manifest = Manifest::open(disk).value();
    ASSERT_TRUE(manifest->set_tail(3).ok());
    ASSERT_TRUE(manifest->set_applied(20).ok());
    ASSERT_TRUE(manifest->set_applied(10).ok()) << "it does not go back";
    ASSERT_TRUE(manifest->set_bound().ok());
    ASSERT_TRUE(manifest->begin_rest(0).ok());
    EXPECT_EQ(manifest->state().coming_to_rest, 0u);
  }
  disk.crash();
  const ManifestState found = Manifest::read(disk).value().value();
  EXPECT_EQ(found.store_id, 7u);
  EXPECT_EQ(found.tail, 3u);
  EXPECT_EQ(found.applied, 20u);
  EXPECT_TRUE(found.bound);
  EXPECT_EQ(found.coming_to_rest, 0u);
  const auto manifest = Manifest::open(disk).value();
  ASSERT_TRUE(manifest->end_rest(25).ok());
  EXPECT_EQ(manifest->state().at_rest, 25u);
  EXPECT_EQ(manifest->state().coming_to_rest, std::nullopt);
  ASSERT_TRUE(manifest->forget_catalog().ok());
  EXPECT_EQ(manifest->state().at_rest, 0u);
  EXPECT_FALSE(manifest->state().bound);
}

// One of two blocks is whole at every moment.
TEST(Manifest, AWriteThatIsTornLeavesTheStateBeforeIt) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SimulatedDisk disk(seed);
    ASSERT_TRUE(Manifest::make(disk, of_store(7)).ok());
    auto manifest = Manifest::open(disk).value();
    ASSERT_TRUE(manifest->set_tail(1).ok());
    disk.stop_at(disk.operations() + 1);
    ASSERT_FALSE(manifest->set_tail(2).ok());
    manifest.reset();
    disk.crash();
    const auto found = Manifest::read(disk);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_TRUE((*found)->tail == 1 || (*found)->tail == 2);
  }
}

TEST(Manifest, DamageToBothBlocksIsRefused) {
  SimulatedDisk disk(1);
  ASSERT_TRUE(Manifest::make(disk, of_store(7)).ok());
  disk.flip_bit(kManifestName, 300);
  EXPECT_TRUE(Manifest::read(disk).ok());
  disk.flip_bit(kManifestName, kBlock * 8 + 300);
  const auto refused = Manifest::read(disk);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "manifest is damaged");
  ASSERT_TRUE(disk.open(kManifestName, base::Access::kWrite).value()->resize(100).ok());
  EXPECT_NE(Manifest::read(disk).error().message.find("has 100 bytes"), std::string::npos);
}

TEST(Manifest, OneThatIsRemovedIsNoticed) {
  SimulatedDisk disk(1);
  ASSERT_TRUE(Manifest::make(disk, of_store(7)).ok());
  const auto manifest = Manifest::open(disk).value();
  ASSERT_TRUE(disk.remove(kManifestName).ok());
  const auto refused = manifest->set_tail(5);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("was removed"), std::string::npos);
}

// ---- What the log must have -------------------------------------------------------------------

// Ten turns, each with a segment of its own but for the first three of them.
class LogWithManifest : public ::testing::Test {
 protected:
  LogWithManifest() {
    EXPECT_TRUE(Manifest::make(disk_, of_store(7)).ok());
    const auto manifest = Manifest::open(disk_).value();
    EXPECT_TRUE(manifest->set_bound().ok());
    const auto log = open(*manifest, 0, 0).value();
    for (std::uint64_t turn = 1; turn <= 10; ++turn)
      EXPECT_TRUE(log->append(turn, payload(turn, 3000), true).ok());
    tail_ = manifest->state().tail;
  }

  Result<std::unique_ptr<Log>> open(Manifest& manifest, std::uint64_t applied,
                                    std::uint64_t on_disk) {
    LogOptions options = kSmall;
    options.manifest = &manifest;
    options.on_disk = on_disk;
    return Log::open(disk_, options, applied);
  }
  std::string refusal(std::uint64_t applied = 0, std::uint64_t on_disk = 0) {
    const auto manifest = Manifest::open(disk_).value();
    const auto log = open(*manifest, applied, on_disk);
    return log.ok() ? "" : log.error().message;
  }

  SimulatedDisk disk_{1};
  std::uint64_t tail_ = 0;
};

// Once, the jobs of a segment that was removed after a kill were gone without a word.
TEST_F(LogWithManifest, ATailThatIsMissingIsRefusedByName) {
  ASSERT_TRUE(disk_.remove(in_use(tail_)).ok());
  const std::string said = refusal(7);
  EXPECT_TRUE(said.starts_with(in_use(tail_) + " is missing")) << said;
  EXPECT_NE(said.find("backup"), std::string::npos);
}

TEST_F(LogWithManifest, ALogThatIsGoneAltogetherIsRefused) {
  const auto names = disk_.list().value();
  for (const std::string& name : names) {
    if (!parse_segment_name(name)) continue;
    ASSERT_TRUE(disk_.remove(name).ok());
  }
  EXPECT_TRUE(refusal(5).starts_with(in_use(tail_) + " is missing"));
}

TEST_F(LogWithManifest, SegmentsOfAnotherStoreAreRefused) {
  ASSERT_TRUE(Manifest::make(disk_, of_store(8)).ok());
  EXPECT_NE(refusal().find("belongs to another store"), std::string::npos);
}

TEST_F(LogWithManifest, AnOlderManifestIsRefused) {
  ManifestState older = of_store(7);
  older.tail = 1;
  older.bound = true;
  ASSERT_TRUE(Manifest::make(disk_, older).ok());
  EXPECT_TRUE(refusal().starts_with("manifest is older than the log")) << refusal();
}

TEST_F(LogWithManifest, ALogThatEndsBeforeWhatTheCatalogKnowsIsRefused) {
  EXPECT_EQ(refusal(0, 10), "");
  const std::string said = refusal(0, 11);
  EXPECT_NE(said.find("turn 11"), std::string::npos) << said;
  EXPECT_NE(said.find(in_use(tail_)), std::string::npos) << said;
}

TEST_F(LogWithManifest, ASegmentThatIsRemovedUnderItIsNoticed) {
  const auto manifest = Manifest::open(disk_).value();
  const auto log = open(*manifest, 0, 0).value();
  ASSERT_TRUE(log->append(11, payload(11, 10), true).ok());
  ASSERT_TRUE(disk_.remove(in_use(manifest->state().tail)).ok());
  const auto refused = log->append(12, payload(12, 10), true);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("was removed"), std::string::npos);
}

}  // namespace
}  // namespace baton::store::local
