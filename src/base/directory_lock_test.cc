#include "base/directory_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/temporary_directory.h"

namespace baton::base {
namespace {

std::string in_use_by(const std::string& path, int process) {
  return path + " is in use by process " + std::to_string(process);
}

TEST(DirectoryLock, MakesTheDirectoryWithItsParents) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/a/b/c";
  ASSERT_TRUE(DirectoryLock::acquire(path).ok());
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

TEST(DirectoryLock, RefusesASecondOwnerInTheSameProcess) {
  const TemporaryDirectory directory;
  const auto first = DirectoryLock::acquire(directory.path());
  ASSERT_TRUE(first.ok());
  const auto second = DirectoryLock::acquire(directory.path());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Code::kConflict);
  EXPECT_EQ(second.error().message, in_use_by(directory.path(), ::getpid()));
}

// Once, a second server came in when the file was removed, and both wrote to one log.
TEST(DirectoryLock, KeepsOthersOutHoweverItsFileIsTreated) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/lock";
  const auto first = DirectoryLock::acquire(directory.path());
  ASSERT_TRUE(first.ok());
  std::filesystem::rename(file, directory.path() + "/moved");
  EXPECT_EQ(DirectoryLock::acquire(directory.path()).error().code, Code::kConflict);
  std::filesystem::copy_file(directory.path() + "/moved", file);
  EXPECT_EQ(DirectoryLock::acquire(directory.path()).error().code, Code::kConflict);
  std::filesystem::remove(file);
  EXPECT_EQ(DirectoryLock::acquire(directory.path()).error().code, Code::kConflict);
  EXPECT_EQ(DirectoryLock::acquire_to_read(directory.path()).error().code, Code::kConflict);
}

TEST(DirectoryLock, GoesWithTheDirectoryThatIsMoved) {
  const TemporaryDirectory directory;
  const std::string before = directory.path() + "/before";
  const std::string after = directory.path() + "/after";
  const auto first = DirectoryLock::acquire(before);
  ASSERT_TRUE(first.ok());
  std::filesystem::rename(before, after);
  EXPECT_EQ(DirectoryLock::acquire(after).error().code, Code::kConflict);
  EXPECT_TRUE(DirectoryLock::acquire(before).ok()) << "a new one at the old place";
}

TEST(DirectoryLock, ToReadWritesNothingAndKeepsOthersOut) {
  const TemporaryDirectory directory;
  {
    const auto reader = DirectoryLock::acquire_to_read(directory.path());
    ASSERT_TRUE(reader.ok());
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
    EXPECT_EQ(DirectoryLock::acquire(directory.path()).error().code, Code::kConflict);
  }
  EXPECT_TRUE(DirectoryLock::acquire(directory.path()).ok());
  EXPECT_FALSE(DirectoryLock::acquire_to_read(directory.path() + "/none").ok());
}

TEST(DirectoryLock, CanBeTakenAgainWhenItWasGivenBack) {
  const TemporaryDirectory directory;
  { ASSERT_TRUE(DirectoryLock::acquire(directory.path()).ok()); }
  EXPECT_TRUE(DirectoryLock::acquire(directory.path()).ok());
}

TEST(DirectoryLock, GoesWithTheValueThatIsMoved) {
  const TemporaryDirectory directory;
  auto first = DirectoryLock::acquire(directory.path());
  ASSERT_TRUE(first.ok());
  DirectoryLock second = std::move(first).value();
  EXPECT_FALSE(DirectoryLock::acquire(directory.path()).ok());
  DirectoryLock third(std::move(second));
  EXPECT_FALSE(DirectoryLock::acquire(directory.path()).ok());
}

// A child takes the lock, says so, and is killed: the kernel gives the lock back.
TEST(DirectoryLock, NamesTheOtherProcessAndEndsWithIt) {
  const TemporaryDirectory directory;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto lock = DirectoryLock::acquire(directory.path());
    const char answer = lock.ok() ? 'y' : 'n';
    if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
    while (true)
      ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  const auto refused = DirectoryLock::acquire(directory.path());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kConflict);
  EXPECT_EQ(refused.error().message, in_use_by(directory.path(), child));
  EXPECT_TRUE(DirectoryLock::acquire(directory.path()).ok());
}

TEST(DirectoryLock, SaysWhyADirectoryCannotBeMade) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/file";
  std::ofstream(file) << "x";
  const auto lock = DirectoryLock::acquire(file + "/below");
  ASSERT_FALSE(lock.ok());
  EXPECT_EQ(lock.error().code, Code::kStoreUnavailable);
  EXPECT_NE(lock.error().message.find(file), std::string::npos);
}

}  // namespace
}  // namespace baton::base
