#include "base/posix_disk.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/disk_error.h"
#include "base/temporary_directory.h"

namespace baton::base {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class PosixDiskTest : public testing::Test {
 protected:
  PosixDiskTest() : disk_(PosixDisk::open(directory_.path()).value()) {}

  std::string text_of(const std::string& name) {
    const auto file = disk_->open(name, Access::kRead).value();
    std::string text(file->size().value(), '\0');
    EXPECT_TRUE(file->read(0, std::as_writable_bytes(std::span(text))).ok());
    return text;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<PosixDisk> disk_;
};

TEST_F(PosixDiskTest, ReadsWhatWasWritten) {
  {
    const auto file = disk_->create("a", Access::kWrite).value();
    ASSERT_TRUE(file->write(0, bytes_of("hello")).ok());
    ASSERT_TRUE(file->write(5, bytes_of(" world")).ok());
    ASSERT_TRUE(file->write(0, bytes_of("J")).ok());
    ASSERT_TRUE(file->sync().ok());
    std::vector<std::byte> back(11);
    ASSERT_TRUE(file->read(0, back).ok());
    EXPECT_EQ(back, bytes_of("Jello world"));
  }
  EXPECT_EQ(text_of("a"), "Jello world");
}

TEST_F(PosixDiskTest, WritesDurablyInWholeBlocks) {
  AlignedBuffer block(2 * kDiskBlock);
  std::memset(block.data(), 'x', block.size());
  {
    const auto file = disk_->create("a", Access::kDurableWrite).value();
    ASSERT_TRUE(file->write(kDiskBlock, block.bytes()).ok());
    EXPECT_EQ(file->size().value(), 3 * kDiskBlock);
    ASSERT_TRUE(file->sync().ok());
  }
  {
    const auto file = disk_->open("a", Access::kDurableWrite).value();
    ASSERT_TRUE(file->write(0, block.bytes().first(kDiskBlock)).ok());
  }
  EXPECT_EQ(text_of("a"), std::string(3 * kDiskBlock, 'x'));
}

TEST_F(PosixDiskTest, RefusesPartsOfBlocksWhenWritesAreDurable) {
  const auto file = disk_->create("a", Access::kDurableWrite).value();
  AlignedBuffer block(kDiskBlock);
  EXPECT_DEATH((void)file->write(0, block.bytes().first(100)), "kDiskBlock");
  EXPECT_DEATH((void)file->write(1, block.bytes()), "kDiskBlock");
}

// A file system without O_DIRECT still takes durable writes.
TEST(PosixDisk, WritesDurablyInMemoryFileSystems) {
  const auto disk = PosixDisk::open("/dev/shm");
  if (!disk.ok()) GTEST_SKIP() << "there is no /dev/shm";
  const std::string name = "baton-" + std::to_string(::getpid());
  const auto file = (*disk)->create(name, Access::kDurableWrite);
  ASSERT_TRUE(file.ok()) << file.error().message;
  AlignedBuffer block(kDiskBlock);
  std::memset(block.data(), 'x', block.size());
  EXPECT_TRUE((*file)->write(0, block.bytes()).ok());
  EXPECT_EQ((*file)->size().value(), kDiskBlock);
  EXPECT_TRUE((*disk)->remove(name).ok());
}

TEST_F(PosixDiskTest, ReadingPastTheEndIsAnError) {
  const auto file = disk_->create("a", Access::kWrite).value();
  ASSERT_TRUE(file->write(0, bytes_of("abc")).ok());
  std::vector<std::byte> into(4);
  const Status read = file->read(0, into);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Code::kStoreUnavailable);
  EXPECT_EQ(read.error().message,
            "cannot read " + directory_.path() + "/a: the file ends too early");
}

TEST_F(PosixDiskTest, GrowsWithZerosAndShrinks) {
  const auto file = disk_->create("a", Access::kWrite).value();
  ASSERT_TRUE(file->write(0, bytes_of("abc")).ok());
  ASSERT_TRUE(file->resize(5).ok());
  EXPECT_EQ(text_of("a"), std::string("abc\0\0", 5));
  ASSERT_TRUE(file->resize(2).ok());
  EXPECT_EQ(text_of("a"), "ab");
}

TEST_F(PosixDiskTest, CreatesOnlyNewFilesAndOpensOnlyOldOnes) {
  ASSERT_TRUE(disk_->create("a", Access::kWrite).ok());
  const auto again = disk_->create("a", Access::kWrite);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().message, "cannot create " + directory_.path() + "/a: File exists");
  for (const Access access : {Access::kRead, Access::kWrite, Access::kDurableWrite}) {
    const auto missing = disk_->open("b", access);
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().message,
              "cannot open " + directory_.path() + "/b: No such file or directory");
  }
}

TEST_F(PosixDiskTest, RenamesRemovesAndListsFiles) {
  for (const char* name : {"c", "a", "b"})
    ASSERT_TRUE(disk_->create(name, Access::kWrite).ok());
  std::filesystem::create_directory(directory_.path() + "/folder");
  EXPECT_EQ(disk_->list().value(), (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_TRUE(disk_->rename("a", "d").ok());
  ASSERT_TRUE(disk_->rename("b", "c").ok());
  EXPECT_EQ(disk_->list().value(), (std::vector<std::string>{"c", "d"}));
  ASSERT_TRUE(disk_->remove("c").ok());
  ASSERT_TRUE(disk_->sync().ok());
  EXPECT_EQ(disk_->list().value(), (std::vector<std::string>{"d"}));
  EXPECT_FALSE(disk_->remove("c").ok());
  EXPECT_FALSE(disk_->rename("c", "e").ok());
}

TEST_F(PosixDiskTest, AnOpenFileStaysTheSameWhenItsNameChanges) {
  const auto file = disk_->create("a", Access::kWrite).value();
  ASSERT_TRUE(disk_->rename("a", "b").ok());
  ASSERT_TRUE(file->write(0, bytes_of("abc")).ok());
  EXPECT_EQ(text_of("b"), "abc");
}

TEST(PosixDisk, NeedsADirectory) {
  const TemporaryDirectory directory;
  const auto disk = PosixDisk::open(directory.path() + "/missing");
  ASSERT_FALSE(disk.ok());
  EXPECT_EQ(disk.error().code, Code::kStoreUnavailable);
}

// The system refuses writes beyond the limit of a process as it refuses them on a full disk.
TEST_F(PosixDiskTest, AFailedDurableWriteIsFinal) {
  const auto file = disk_->create("a", Access::kDurableWrite).value();
  AlignedBuffer block(kDiskBlock);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  const Status refused = file->write(0, block.bytes());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "cannot write " + directory_.path() + "/a: File too large");
  EXPECT_FALSE(file->write(0, block.bytes()).ok());
  EXPECT_FALSE(file->sync().ok());
}

TEST(PosixDisk, AFullDiskIsCalledFull) {
  EXPECT_EQ(disk_error("write", "a", ENOSPC).message, "cannot write a: no space left on device");
  EXPECT_EQ(disk_error("write", "a", EDQUOT).message, "cannot write a: no space left on device");
  EXPECT_EQ(disk_error("sync", "a", EIO).message, "cannot sync a: Input/output error");
}

}  // namespace
}  // namespace baton::base
