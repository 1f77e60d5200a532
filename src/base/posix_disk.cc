#include "base/posix_disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/assert.h"
#include "base/disk_error.h"

namespace baton::base {
namespace {

class PosixFile final : public File {
 public:
  PosixFile(std::string path, int descriptor, Access access, bool direct)
      : path_(std::move(path)), descriptor_(descriptor), access_(access), direct_(direct) {}
  ~PosixFile() override { ::close(descriptor_); }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  Status read(std::uint64_t offset, std::span<std::byte> into) const override {
    while (!into.empty()) {
      const ssize_t count =
          ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return disk_error("read", path_, errno);
      if (count == 0) return disk_error("read", path_, "the file ends too early");
      into = into.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return Ok{};
  }

  Status write(std::uint64_t offset, std::span<const std::byte> from) override {
    if (failed_) return failed_before("write");
    if (access_ == Access::kDurableWrite) assert_whole_blocks(offset, from);
    while (!from.empty()) {
      const ssize_t count =
          ::pwrite(descriptor_, from.data(), from.size(), static_cast<off_t>(offset));
      if (count < 0 && (errno == EINTR || (errno == EINVAL && leave_direct()))) continue;
      if (count <= 0) {
        // With O_DSYNC a failed write is a failed sync.
        failed_ = access_ == Access::kDurableWrite;
        return disk_error("write", path_, count == 0 ? EIO : errno);
      }
      from = from.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return Ok{};
  }

  Status sync() override {
    if (failed_) return failed_before("sync");
    if (::fdatasync(descriptor_) == 0) return Ok{};
    failed_ = true;
    return disk_error("sync", path_, errno);
  }

  Result<std::uint64_t> size() const override {
    struct stat facts {};
    if (::fstat(descriptor_, &facts) != 0) return disk_error("look at", path_, errno);
    return static_cast<std::uint64_t>(facts.st_size);
  }

  Status resize(std::uint64_t size) override {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) == 0) return Ok{};
    return disk_error("resize", path_, errno);
  }

  bool has_name() const override {
    struct stat facts {};
    return ::fstat(descriptor_, &facts) != 0 || facts.st_nlink > 0;
  }

 private:
  static void assert_whole_blocks(std::uint64_t offset, std::span<const std::byte> from) {
    BATON_ASSERT(offset % kDiskBlock == 0 && from.size() % kDiskBlock == 0);
    BATON_ASSERT(reinterpret_cast<std::uintptr_t>(from.data()) % kDiskBlock == 0);
  }

  Error failed_before(const char* operation) const {
    return disk_error(operation, path_, "an earlier write or sync of this file failed");
  }

  // Some file systems take the flag and refuse the write, and the rest of a partial write need not
  // be whole blocks. O_DSYNC stays.
  bool leave_direct() {
    if (!direct_) return false;
    direct_ = false;
    const int flags = ::fcntl(descriptor_, F_GETFL);
    return flags >= 0 && ::fcntl(descriptor_, F_SETFL, flags & ~O_DIRECT) == 0;
  }

  std::string path_;
  int descriptor_;
  Access access_;
  bool direct_;
  bool failed_ = false;
};

int flags_of(Access access) {
  switch (access) {
    case Access::kRead:
      return O_RDONLY;
    case Access::kWrite:
      return O_RDWR;
    case Access::kDurableWrite:
      return O_WRONLY | O_DSYNC;
  }
  BATON_ASSERT(false);
}

}  // namespace

Result<std::unique_ptr<PosixDisk>> PosixDisk::open(const std::string& path) {
  const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return disk_error("open", path, errno);
  return std::unique_ptr<PosixDisk>(new PosixDisk(path, directory));
}

PosixDisk::~PosixDisk() { ::close(directory_); }

Result<std::unique_ptr<File>> PosixDisk::open_file(const std::string& name, Access access,
                                                   bool create) {
  BATON_ASSERT(name.find('/') == std::string::npos);
  const int flags = flags_of(access) | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0);
  bool direct = access == Access::kDurableWrite;
  int descriptor = ::openat(directory_, name.c_str(), flags | (direct ? O_DIRECT : 0), 0600);
  if (descriptor < 0 && errno == EINVAL && direct) {
    direct = false;
    // The file may have been made before the flag was refused.
    if (create) ::unlinkat(directory_, name.c_str(), 0);
    descriptor = ::openat(directory_, name.c_str(), flags, 0600);
  }
  if (descriptor < 0) return disk_error(create ? "create" : "open", full(name), errno);
  // Nobody else's, whatever the umask.
  if (create) static_cast<void>(::fchmod(descriptor, 0600));
  return std::unique_ptr<File>(new PosixFile(full(name), descriptor, access, direct));
}

Result<std::unique_ptr<File>> PosixDisk::open(const std::string& name, Access access) {
  return open_file(name, access, false);
}

Result<std::unique_ptr<File>> PosixDisk::create(const std::string& name, Access access) {
  return open_file(name, access, true);
}

Status PosixDisk::rename(const std::string& from, const std::string& to) {
  if (::renameat(directory_, from.c_str(), directory_, to.c_str()) == 0) return Ok{};
  return disk_error("rename", full(from), errno);
}

Status PosixDisk::remove(const std::string& name) {
  if (::unlinkat(directory_, name.c_str(), 0) == 0) return Ok{};
  return disk_error("remove", full(name), errno);
}

Result<std::vector<std::string>> PosixDisk::list() {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator at(path_, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    if (at->is_regular_file(error)) names.push_back(at->path().filename().string());
  }
  if (error) return disk_error("list", path_, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

Status PosixDisk::sync() {
  if (::fsync(directory_) == 0) return Ok{};
  return disk_error("sync", path_, errno);
}

}  // namespace baton::base
