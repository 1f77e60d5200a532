#include "base/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/disk_error.h"
#include "base/private_files.h"

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

// Only a file system that knows no such lock of a directory is excused: there the file has to do.
Result<DirectoryLock> DirectoryLock::lock_directory(const std::string& path) {
  const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return disk_error("open", path, errno);
  DirectoryLock lock(directory, -1);
  if (::flock(directory, LOCK_EX | LOCK_NB) == 0) return lock;
  const int failed = errno;
  if (failed == EWOULDBLOCK) {
    const int file = ::openat(directory, "lock", O_RDONLY | O_CLOEXEC);
    lock.file_ = file;
    return in_use(path, file);
  }
  if (failed == EINVAL || failed == ENOTSUP || failed == ENOLCK || failed == EBADF) return lock;
  return disk_error("lock", path, failed);
}

Result<DirectoryLock> DirectoryLock::acquire(const std::string& path) {
  if (const Status made = make_private_directories(path); !made) return made.error();
  auto locked = lock_directory(path);
  if (!locked) return locked.error();
  DirectoryLock lock = std::move(locked).value();
  const std::string name = path + "/lock";
  lock.file_ = ::openat(lock.directory_, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock.file_ < 0) return disk_error("open", name, errno);
  if (!lock_whole_file(lock.file_)) {
    if (errno == EAGAIN || errno == EACCES) return in_use(path, lock.file_);
    return disk_error("lock", name, errno);
  }
  // A full disk need not keep anybody out.
  if (!write_owner(lock.file_) && errno != ENOSPC && errno != EDQUOT)
    return disk_error("write", name, errno);
  return lock;
}

Result<DirectoryLock> DirectoryLock::acquire_to_read(const std::string& path) {
  auto locked = lock_directory(path);
  if (!locked) return locked.error();
  DirectoryLock lock = std::move(locked).value();
  lock.file_ = ::openat(lock.directory_, "lock", O_RDONLY | O_CLOEXEC);
  if (lock.file_ < 0) return lock;
  // A program of an earlier version has locked only the file.
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  if (::fcntl(lock.file_, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK)
    return in_use(path, lock.file_);
  return lock;
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : directory_(std::exchange(other.directory_, -1)), file_(std::exchange(other.file_, -1)) {}

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(file_, other.file_);
  return *this;
}

DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) ::close(file_);
  if (directory_ >= 0) ::close(directory_);
}

}  // namespace baton::base
