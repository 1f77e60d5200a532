#include "base/private_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"

namespace baton::base {
namespace {

unsigned mode_of(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777U : 0;
}

class WithUmask {
 public:
  explicit WithUmask(mode_t mask) : before_(::umask(mask)) {}
  ~WithUmask() { ::umask(before_); }
  WithUmask(const WithUmask&) = delete;
  WithUmask& operator=(const WithUmask&) = delete;

 private:
  mode_t before_;
};

TEST(PrivateFiles, DirectoriesAreTheOwnersWhateverTheUmask) {
  for (const mode_t mask : {0U, 0022U, 0177U, 0277U}) {
    const TemporaryDirectory directory;
    const WithUmask umask(mask);
    const std::string path = directory.path() + "/a/b/../c";
    ASSERT_TRUE(make_private_directories(path).ok()) << mask;
    EXPECT_EQ(mode_of(directory.path() + "/a"), 0700u);
    EXPECT_EQ(mode_of(directory.path() + "/a/c"), 0700u);
    ASSERT_TRUE(make_private_directories(path).ok()) << "it is there";
  }
}

TEST(PrivateFiles, ADirectoryThatIsThereStaysAsItIs) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
  ASSERT_TRUE(make_private_directories(directory.path() + "/below").ok());
  EXPECT_EQ(mode_of(directory.path()), 0755u);
}

TEST(PrivateFiles, SaysWhatCannotBeMade) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/file";
  std::ofstream(file) << "x";
  const Status made = make_private_directories(file + "/below");
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find(file), std::string::npos) << made.error().message;
}

TEST(PrivateFiles, AFileIsMadeOnceAndKept) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/file";
  const WithUmask umask(0);
  ASSERT_TRUE(make_private_file(file).ok());
  EXPECT_EQ(mode_of(file), 0600u);
  std::ofstream(file) << "x";
  ASSERT_TRUE(make_private_file(file).ok());
  EXPECT_EQ(std::filesystem::file_size(file), 1u);
}

TEST(PrivateFiles, TightensWhatIsNamedAndADirectoryThatHoldsNothingElse) {
  const TemporaryDirectory directory;
  const std::string mine = directory.path() + "/mine";
  const std::string other = directory.path() + "/other";
  std::ofstream(mine) << "x";
  std::ofstream(other) << "x";
  ASSERT_EQ(::chmod(mine.c_str(), 0644), 0);
  ASSERT_EQ(::chmod(other.c_str(), 0644), 0);
  ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
  tighten(directory.path(), [](const std::string& name) { return name == "mine"; });
  EXPECT_EQ(mode_of(mine), 0600u);
  EXPECT_EQ(mode_of(other), 0644u);
  EXPECT_EQ(mode_of(directory.path()), 0755u) << "somebody else has a file in it";
  tighten(directory.path(), [](const std::string&) { return true; });
  EXPECT_EQ(mode_of(directory.path()), 0700u);
}

}  // namespace
}  // namespace baton::base
