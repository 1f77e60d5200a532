#include "base/directory_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/disk_error.h"

namespace baton::base {
namespace {

// A lock of the open file, not of the process: a second open in the same process finds it taken.
bool lock_whole_file(int descriptor) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_SETLK, &range) == 0;
}

Error in_use(const std::string& path, int descriptor) {
  std::array<char, 32> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  std::string owner;
  for (ssize_t i = 0; i < count && text[static_cast<std::size_t>(i)] >= '0' &&
                      text[static_cast<std::size_t>(i)] <= '9';
       ++i)
    owner += text[static_cast<std::size_t>(i)];
  const std::string who = owner.empty() ? "another process" : "process " + owner;
  return {Code::kConflict, path + " is in use by " + who, {}, {}};
}

// For people only: whoever holds the lock has it without this text.
bool write_owner(int descriptor) {
  const std::string text = std::to_string(::getpid()) + "\n";
  return ::pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
         ::ftruncate(descriptor, static_cast<off_t>(text.size())) == 0;
}

}  // namespace

Result<DirectoryLock> DirectoryLock::acquire(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return disk_error("make the directory", path, error.value());
  const std::string name = path + "/lock";
  const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return disk_error("open", name, errno);
  DirectoryLock lock(descriptor);
  if (!lock_whole_file(descriptor)) {
    if (errno == EAGAIN || errno == EACCES) return in_use(path, descriptor);
    return disk_error("lock", name, errno);
  }
  if (!write_owner(descriptor)) return disk_error("write", name, errno);
  return lock;
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace baton::base
