#include "base/private_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/disk_error.h"

namespace baton::base {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFileMode = 0600;
constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kOfOthers = 0077;

Status sync_directory(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return disk_error("open", path, errno);
  const int failed = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some file systems cannot sync a directory, and say so.
  if (failed != 0 && failed != EINVAL) return disk_error("sync", path, failed);
  return Ok{};
}

Status make_one(const fs::path& path) {
  if (::mkdir(path.c_str(), kDirectoryMode) != 0) {
    if (errno == EEXIST && fs::is_directory(path)) return Ok{};
    return disk_error("make the directory", path.string(), errno);
  }
  // The umask may have taken rights of the owner as well.
  if (::chmod(path.c_str(), kDirectoryMode) != 0)
    return disk_error("make the directory", path.string(), errno);
  return sync_directory(path.has_parent_path() ? path.parent_path().string() : ".");
}

}  // namespace

Status make_private_directories(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  if (error) return disk_error("make the directory", path, error.value());
  fs::path above;
  for (const fs::path& part : whole) {
    above /= part;
    if (part.empty()) continue;
    const bool there = fs::exists(above, error);
    if (there && fs::is_directory(above, error)) continue;
    if (Status made = make_one(above); !made) return made;
  }
  return Ok{};
}

Status make_private_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode);
  if (descriptor < 0) return errno == EEXIST ? Status(Ok{}) : disk_error("create", path, errno);
  const int failed = ::fchmod(descriptor, kFileMode) == 0 ? 0 : errno;
  ::close(descriptor);
  if (failed != 0) return disk_error("create", path, failed);
  const fs::path above = fs::path(path).parent_path();
  return sync_directory(above.empty() ? "." : above.string());
}

void tighten(const std::string& directory, const std::function<bool(const std::string&)>& ours) {
  struct stat facts {};
  const auto take_rights = [&facts](const std::string& path) {
    if (::lstat(path.c_str(), &facts) != 0 || S_ISLNK(facts.st_mode)) return;
    if ((facts.st_mode & kOfOthers) == 0) return;
    // Refused for files of another user: then it is for that user to do.
    static_cast<void>(::chmod(path.c_str(), facts.st_mode & 07777 & ~kOfOthers));
  };
  bool only_these = true;
  std::error_code error;
  fs::directory_iterator at(directory, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    if (ours(at->path().filename().string())) {
      take_rights(at->path().string());
    } else {
      only_these = false;
    }
  }
  if (only_these && !error) take_rights(directory);
}

}  // namespace baton::base
