#include "store/local/catalog/checksum_vfs.h"

#include <atomic>

#include "base/assert.h"
#include "store/local/catalog/checked_file.h"

namespace baton::store::local {
namespace {

sqlite3_vfs* below(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

int x_open(sqlite3_vfs* vfs, const char* path, sqlite3_file* room, int flags, int* opened) {
  return CheckedFile::open(below(vfs), path, room, flags, opened);
}
int x_delete(sqlite3_vfs* vfs, const char* path, int sync_name) {
  return below(vfs)->xDelete(below(vfs), path, sync_name);
}
int x_access(sqlite3_vfs* vfs, const char* path, int flags, int* answer) {
  return below(vfs)->xAccess(below(vfs), path, flags, answer);
}
int x_full_path(sqlite3_vfs* vfs, const char* path, int room, char* full) {
  return below(vfs)->xFullPathname(below(vfs), path, room, full);
}
int x_random(sqlite3_vfs* vfs, int count, char* bytes) {
  return below(vfs)->xRandomness(below(vfs), count, bytes);
}
int x_sleep(sqlite3_vfs* vfs, int microseconds) {
  return below(vfs)->xSleep(below(vfs), microseconds);
}
int x_time(sqlite3_vfs* vfs, double* days) { return below(vfs)->xCurrentTime(below(vfs), days); }
int x_last_error(sqlite3_vfs* vfs, int room, char* text) {
  return below(vfs)->xGetLastError(below(vfs), room, text);
}

}  // namespace

ChecksumVfs::ChecksumVfs(const std::string& below) {
  static std::atomic<std::uint64_t> count{0};
  sqlite3_vfs* const real = sqlite3_vfs_find(below.empty() ? nullptr : below.c_str());
  BATON_ASSERT(real != nullptr);
  name_ = "baton-checksums-" + std::to_string(++count);
  vfs_.iVersion = 1;
  vfs_.szOsFile = static_cast<int>(sizeof(CheckedRoom));
  vfs_.mxPathname = real->mxPathname;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = real;
  vfs_.xOpen = x_open;
  vfs_.xDelete = x_delete;
  vfs_.xAccess = x_access;
  vfs_.xFullPathname = x_full_path;
  vfs_.xRandomness = x_random;
  vfs_.xSleep = x_sleep;
  vfs_.xCurrentTime = x_time;
  vfs_.xGetLastError = x_last_error;
  BATON_ASSERT(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
}

ChecksumVfs::~ChecksumVfs() { sqlite3_vfs_unregister(&vfs_); }

}  // namespace baton::store::local
