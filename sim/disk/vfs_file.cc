#include "sim/disk/vfs_file.h"

#include <algorithm>

namespace baton::sim {
namespace {

// As the one for Unix says of every file system.
constexpr int kSectorBytes = 4096;

VfsFile& of(sqlite3_file* file) { return *reinterpret_cast<FileRoom*>(file)->file; }

int x_close(sqlite3_file* file) {
  const std::unique_ptr<VfsFile> own(&of(file));
  own->close();
  return SQLITE_OK;
}
int x_read(sqlite3_file* file, void* into, int count, sqlite3_int64 offset) {
  const std::span bytes(static_cast<std::byte*>(into), static_cast<std::size_t>(count));
  return of(file).read(static_cast<std::uint64_t>(offset), bytes);
}
int x_write(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
  const std::span bytes(static_cast<const std::byte*>(from), static_cast<std::size_t>(count));
  return of(file).write(static_cast<std::uint64_t>(offset), bytes);
}
int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
  return of(file).truncate(static_cast<std::uint64_t>(size));
}
int x_sync(sqlite3_file* file, int) { return of(file).sync(); }
int x_size(sqlite3_file* file, sqlite3_int64* size) {
  std::uint64_t bytes = 0;
  const int code = of(file).size(bytes);
  *size = static_cast<sqlite3_int64>(bytes);
  return code;
}
int x_lock(sqlite3_file* file, int level) { return of(file).lock(level); }
int x_unlock(sqlite3_file* file, int level) { return of(file).unlock(level); }
int x_check_reserved(sqlite3_file* file, int* reserved) {
  *reserved = of(file).locks().is_reserved() ? 1 : 0;
  return SQLITE_OK;
}
int x_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int x_sector(sqlite3_file*) { return kSectorBytes; }
int x_device(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

int x_memory(sqlite3_file* file, int index, int bytes, int make, void volatile** region) {
  *region = of(file).locks().region(static_cast<std::size_t>(index),
                                    static_cast<std::size_t>(bytes), make != 0);
  return SQLITE_OK;
}
int x_lock_memory(sqlite3_file* file, int first, int count, int flags) {
  VfsFile& own = of(file);
  return own.locks().lock_memory(own.held_memory(), first, count, flags);
}
void x_barrier(sqlite3_file*) {}
int x_leave_memory(sqlite3_file* file, int forget) {
  if (forget != 0) of(file).locks().forget_regions();
  return SQLITE_OK;
}

}  // namespace

int code_of(const Error& error, int otherwise) {
  const bool full = error.message.find("no space left") != std::string::npos;
  return full ? SQLITE_FULL : otherwise;
}

int VfsFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::uint64_t end = 0;
  if (const int code = size(end); code != SQLITE_OK) return code;
  const std::uint64_t there = end > offset ? end - offset : 0;
  const std::span<std::byte> part = into.first(std::min<std::uint64_t>(there, into.size()));
  if (file_ == nullptr) {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(end - there), part.size(),
                part.begin());
  } else if (!part.empty()) {
    if (const auto done = file_->read(offset, part); !done) return SQLITE_IOERR_READ;
  }
  std::fill(into.begin() + static_cast<std::ptrdiff_t>(part.size()), into.end(), std::byte{});
  return part.size() == into.size() ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int VfsFile::write(std::uint64_t offset, std::span<const std::byte> from) {
  if (file_ != nullptr) {
    const auto done = file_->write(offset, from);
    return done ? SQLITE_OK : code_of(done.error(), SQLITE_IOERR_WRITE);
  }
  if (bytes_.size() < offset + from.size()) bytes_.resize(offset + from.size());
  std::copy(from.begin(), from.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
  return SQLITE_OK;
}

int VfsFile::truncate(std::uint64_t size) {
  if (file_ == nullptr) {
    bytes_.resize(size);
    return SQLITE_OK;
  }
  const auto done = file_->resize(size);
  return done ? SQLITE_OK : code_of(done.error(), SQLITE_IOERR_TRUNCATE);
}

int VfsFile::sync() {
  if (file_ == nullptr) return SQLITE_OK;
  if (const auto done = file_->sync(); !done) return SQLITE_IOERR_FSYNC;
  if (!sync_name_) return SQLITE_OK;
  if (const auto done = vfs_.disk().sync(); !done) return SQLITE_IOERR_DIR_FSYNC;
  sync_name_ = false;
  return SQLITE_OK;
}

int VfsFile::size(std::uint64_t& bytes) const {
  bytes = bytes_.size();
  if (file_ == nullptr) return SQLITE_OK;
  const auto size = file_->size();
  if (!size) return SQLITE_IOERR_FSTAT;
  bytes = *size;
  return SQLITE_OK;
}

int VfsFile::lock(int level) {
  if (level <= level_) return SQLITE_OK;
  const int code = locks().raise(level_, level);
  if (code == SQLITE_OK) level_ = level;
  return code;
}

int VfsFile::unlock(int level) {
  if (level >= level_) return SQLITE_OK;
  locks().lower(level_, level);
  level_ = level;
  return SQLITE_OK;
}

void VfsFile::close() {
  unlock(SQLITE_LOCK_NONE);
  locks().lock_memory(held_memory_, 0, SQLITE_SHM_NLOCK, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
  locks().lock_memory(held_memory_, 0, SQLITE_SHM_NLOCK, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
}

const sqlite3_io_methods& file_methods() {
  static const sqlite3_io_methods kMethods = [] {
    sqlite3_io_methods methods{};
    methods.iVersion = 2;
    methods.xClose = x_close;
    methods.xRead = x_read;
    methods.xWrite = x_write;
    methods.xTruncate = x_truncate;
    methods.xSync = x_sync;
    methods.xFileSize = x_size;
    methods.xLock = x_lock;
    methods.xUnlock = x_unlock;
    methods.xCheckReservedLock = x_check_reserved;
    methods.xFileControl = x_control;
    methods.xSectorSize = x_sector;
    methods.xDeviceCharacteristics = x_device;
    methods.xShmMap = x_memory;
    methods.xShmLock = x_lock_memory;
    methods.xShmBarrier = x_barrier;
    methods.xShmUnmap = x_leave_memory;
    return methods;
  }();
  return kMethods;
}

}  // namespace baton::sim
