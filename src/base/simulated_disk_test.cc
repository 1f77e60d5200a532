#include "base/simulated_disk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/aligned_buffer.h"

namespace baton::base {
namespace {

constexpr std::size_t kSectors = kDiskBlock / 512;
constexpr int kSeeds = 200;

AlignedBuffer block_of(char letter, std::size_t blocks = 1) {
  AlignedBuffer block(blocks * kDiskBlock);
  std::memset(block.data(), letter, block.size());
  return block;
}

std::string text_of(SimulatedDisk& disk, const std::string& name) {
  const auto file = disk.open(name, Access::kRead).value();
  std::string text(file->size().value(), '\0');
  EXPECT_TRUE(file->read(0, std::as_writable_bytes(std::span(text))).ok());
  return text;
}

// A file with one synced block of 'a'.
std::unique_ptr<File> synced_file(SimulatedDisk& disk, Access access = Access::kWrite) {
  auto file = disk.create("f", access).value();
  EXPECT_TRUE(file->write(0, block_of('a').bytes()).ok());
  EXPECT_TRUE(file->sync().ok());
  EXPECT_TRUE(disk.sync().ok());
  return file;
}

// The letter of each sector; 0 when a sector is mixed.
std::string sectors_of(const std::string& text) {
  std::string letters;
  for (std::size_t at = 0; at + 512 <= text.size(); at += 512) {
    const std::string sector = text.substr(at, 512);
    letters += sector == std::string(512, sector[0]) ? sector[0] : '?';
  }
  return letters;
}

TEST(SimulatedDisk, KeepsWhatWasSynced) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedDisk disk(static_cast<std::uint64_t>(seed));
    synced_file(disk);
    disk.crash();
    ASSERT_EQ(text_of(disk, "f"), std::string(kDiskBlock, 'a'));
  }
}

TEST(SimulatedDisk, LosesKeepsOrTearsWhatWasNotSynced) {
  std::set<std::string> outcomes;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedDisk disk(static_cast<std::uint64_t>(seed));
    const auto file = synced_file(disk);
    ASSERT_TRUE(file->write(0, block_of('b').bytes()).ok());
    ASSERT_EQ(text_of(disk, "f"), std::string(kDiskBlock, 'b'));
    disk.crash();
    const std::string sectors = sectors_of(text_of(disk, "f"));
    ASSERT_EQ(sectors.find_first_not_of("ab"), std::string::npos);
    outcomes.insert(sectors);
  }
  EXPECT_TRUE(outcomes.contains(std::string(kSectors, 'a')));
  EXPECT_TRUE(outcomes.contains(std::string(kSectors, 'b')));
  EXPECT_TRUE(std::any_of(outcomes.begin(), outcomes.end(), [](const std::string& sectors) {
    return sectors.find("ba") != std::string::npos;
  })) << "a later sector may arrive before an earlier one";
  EXPECT_GT(outcomes.size(), 20U);
}

TEST(SimulatedDisk, MayLeaveAnyVersionOfASector) {
  std::set<char> first_sectors;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedDisk disk(static_cast<std::uint64_t>(seed));
    const auto file = synced_file(disk);
    for (const char letter : {'b', 'c'})
      ASSERT_TRUE(file->write(0, block_of(letter).bytes()).ok());
    disk.crash();
    first_sectors.insert(text_of(disk, "f")[0]);
  }
  EXPECT_EQ(first_sectors, (std::set<char>{'a', 'b', 'c'}));
}

TEST(SimulatedDisk, MayForgetThatAFileGrew) {
  std::set<std::size_t> sizes;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedDisk disk(static_cast<std::uint64_t>(seed));
    const auto file = synced_file(disk);
    ASSERT_TRUE(file->write(kDiskBlock, block_of('b').bytes()).ok());
    disk.crash();
    const std::string text = text_of(disk, "f");
    ASSERT_EQ(text.substr(0, kDiskBlock), std::string(kDiskBlock, 'a'));
    sizes.insert(text.size());
  }
  EXPECT_EQ(sizes, (std::set<std::size_t>{kDiskBlock, 2 * kDiskBlock}));
}

TEST(SimulatedDisk, KeepsDurableWritesWithoutSync) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedDisk disk(static_cast<std::uint64_t>(seed));
    const auto file = synced_file(disk, Access::kDurableWrite);
    ASSERT_TRUE(file->write(0, block_of('b', 2).bytes()).ok());
    disk.crash();
    ASSERT_EQ(text_of(disk, "f"), std::string(2 * kDiskBlock, 'b'));
  }
}

TEST(SimulatedDisk, TearsADurableWriteInFlight) {
  std::set<std::string> outcomes;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedDisk disk(static_cast<std::uint64_t>(seed));
    const auto file = synced_file(disk, Access::kDurableWrite);
    disk.stop_at(disk.operations() + 1);
    ASSERT_FALSE(file->write(0, block_of('b').bytes()).ok());
    ASSERT_TRUE(disk.stopped());
    disk.crash();
    outcomes.insert(sectors_of(text_of(disk, "f")));
  }
  EXPECT_TRUE(outcomes.contains(std::string(kSectors, 'a')));
  EXPECT_TRUE(outcomes.contains(std::string(kSectors, 'b')));
  EXPECT_GT(outcomes.size(), 20U);
}

TEST(SimulatedDisk, MayForgetNamesThatWereNotSynced) {
  std::set<std::vector<std::string>> outcomes;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedDisk disk(static_cast<std::uint64_t>(seed));
    synced_file(disk);
    ASSERT_TRUE(disk.create("g", Access::kWrite).ok());
    ASSERT_TRUE(disk.rename("f", "h").ok());
    disk.crash();
    outcomes.insert(disk.list().value());
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(outcomes, (std::set<Names>{Names{"f"}, Names{"f", "g"}, Names{"g", "h"}, Names{"h"}}));
}

TEST(SimulatedDisk, BringsARemovedFileBackUnlessThatWasSynced) {
  bool came_back = false;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedDisk disk(static_cast<std::uint64_t>(seed));
    synced_file(disk);
    ASSERT_TRUE(disk.remove("f").ok());
    ASSERT_TRUE(disk.list().value().empty());
    const bool synced = seed % 2 == 0;
    if (synced) {
      ASSERT_TRUE(disk.sync().ok());
    }
    disk.crash();
    const bool there = !disk.list().value().empty();
    ASSERT_FALSE(synced && there);
    if (there) {
      ASSERT_EQ(text_of(disk, "f"), std::string(kDiskBlock, 'a'));
    }
    came_back = came_back || there;
  }
  EXPECT_TRUE(came_back);
}

TEST(SimulatedDisk, KeepsEverythingWhenOnlyTheProcessDies) {
  SimulatedDisk disk(1);
  const auto file = synced_file(disk);
  ASSERT_TRUE(file->write(0, block_of('b').bytes()).ok());
  ASSERT_TRUE(disk.rename("f", "g").ok());
  disk.restart();
  EXPECT_EQ(text_of(disk, "g"), std::string(kDiskBlock, 'b'));
  EXPECT_FALSE(file->write(0, block_of('c').bytes()).ok()) << "the file died with its process";
}

TEST(SimulatedDisk, StopsAtAnOperationAndStaysStopped) {
  SimulatedDisk disk(1);
  const auto file = synced_file(disk);
  const std::uint64_t before = disk.operations();
  disk.stop_at(before + 2);
  EXPECT_TRUE(file->sync().ok());
  EXPECT_FALSE(disk.stopped());
  EXPECT_FALSE(file->sync().ok());
  EXPECT_TRUE(disk.stopped());
  EXPECT_FALSE(disk.list().ok());
  EXPECT_FALSE(disk.open("f", Access::kRead).ok());
  EXPECT_FALSE(disk.create("g", Access::kWrite).ok());
  EXPECT_FALSE(disk.rename("f", "g").ok());
  EXPECT_FALSE(disk.remove("f").ok());
  EXPECT_FALSE(disk.sync().ok());
  EXPECT_FALSE(file->size().ok());
  disk.crash();
  EXPECT_EQ(disk.list().value(), std::vector<std::string>{"f"});
}

TEST(SimulatedDisk, FailsTheChosenWriteOnce) {
  SimulatedDisk disk(1);
  const auto file = synced_file(disk);
  disk.fail(SimulatedDisk::Fault::kWrite, 1);
  EXPECT_TRUE(file->write(0, block_of('b').bytes()).ok());
  const Status failed = file->write(0, block_of('c').bytes());
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "cannot write f: Input/output error");
  EXPECT_TRUE(file->write(0, block_of('d').bytes()).ok());
}

TEST(SimulatedDisk, NeverMakesDurableWhatAFailedSyncDropped) {
  bool lost = false;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SimulatedDisk disk(static_cast<std::uint64_t>(seed));
    const auto file = synced_file(disk);
    ASSERT_TRUE(file->write(0, block_of('b').bytes()).ok());
    disk.fail(SimulatedDisk::Fault::kSync);
    ASSERT_FALSE(file->sync().ok());
    ASSERT_FALSE(file->sync().ok()) << "a failed sync is final";
    ASSERT_EQ(text_of(disk, "f"), std::string(kDiskBlock, 'b'));
    ASSERT_TRUE(disk.open("f", Access::kWrite).value()->sync().ok());
    disk.crash();
    lost = lost || text_of(disk, "f") != std::string(kDiskBlock, 'b');
  }
  EXPECT_TRUE(lost);
}

TEST(SimulatedDisk, FailsReads) {
  SimulatedDisk disk(1);
  const auto file = synced_file(disk);
  std::vector<std::byte> into(10);
  disk.fail(SimulatedDisk::Fault::kRead);
  EXPECT_FALSE(file->read(0, into).ok());
  EXPECT_TRUE(file->read(0, into).ok());
  EXPECT_FALSE(file->read(kDiskBlock - 9, into).ok()) << "past the end";
}

TEST(SimulatedDisk, FillsUp) {
  SimulatedDisk disk(1);
  const auto file = synced_file(disk);
  disk.set_free_bytes(kDiskBlock);
  EXPECT_TRUE(file->write(0, block_of('b').bytes()).ok()) << "needs no more room";
  EXPECT_TRUE(file->write(kDiskBlock, block_of('b').bytes()).ok());
  const Status full = file->write(2 * kDiskBlock, block_of('b').bytes());
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().message, "cannot write f: no space left on device");
  EXPECT_FALSE(file->resize(3 * kDiskBlock).ok());
  ASSERT_TRUE(disk.remove("f").ok());
  EXPECT_TRUE(disk.create("g", Access::kWrite).value()->resize(2 * kDiskBlock).ok());
}

TEST(SimulatedDisk, FlipsABitAtRest) {
  SimulatedDisk disk(1);
  synced_file(disk);
  disk.flip_bit("f", 8 * 100 + 1);
  std::string expected(kDiskBlock, 'a');
  expected[100] = 'a' ^ 2;
  EXPECT_EQ(text_of(disk, "f"), expected);
  disk.crash();
  EXPECT_EQ(text_of(disk, "f"), expected);
}

TEST(SimulatedDisk, ReadsZerosWhereAFileShrankAndGrew) {
  SimulatedDisk disk(1);
  const auto file = synced_file(disk);
  ASSERT_TRUE(file->resize(100).ok());
  ASSERT_TRUE(file->resize(1000).ok());
  ASSERT_TRUE(file->sync().ok());
  disk.crash();
  EXPECT_EQ(text_of(disk, "f"), std::string(100, 'a') + std::string(900, '\0'));
}

}  // namespace
}  // namespace baton::base
