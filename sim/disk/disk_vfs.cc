#include "sim/disk/disk_vfs.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "sim/disk/vfs_file.h"

namespace baton::sim {
namespace {

constexpr int kLongestPath = 512;

DiskVfs& of(sqlite3_vfs* vfs) { return *static_cast<DiskVfs*>(vfs->pAppData); }

Result<bool> exists(DiskVfs& vfs, const std::string& name) {
  const auto names = vfs.disk().list();
  if (!names) return names.error();
  return std::find(names->begin(), names->end(), name) != names->end();
}

// The one for Unix makes the names of these durable, because a crash must find them.
bool needs_its_name(int flags) {
  return (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL)) != 0;
}

Result<std::unique_ptr<VfsFile>> open_file(DiskVfs& vfs, const char* path, int flags) {
  if (path == nullptr) return std::make_unique<VfsFile>(vfs);
  const std::string name = path;
  const auto there = exists(vfs, name);
  if (!there) return there.error();
  const bool make = !*there && (flags & SQLITE_OPEN_CREATE) != 0;
  const base::Access access =
      (flags & SQLITE_OPEN_READWRITE) != 0 ? base::Access::kWrite : base::Access::kRead;
  auto file = make ? vfs.disk().create(name, access) : vfs.disk().open(name, access);
  if (!file) return file.error();
  return std::make_unique<VfsFile>(vfs, name, std::move(*file), make && needs_its_name(flags));
}

int x_open(sqlite3_vfs* vfs, const char* path, sqlite3_file* room, int flags, int* opened) {
  room->pMethods = nullptr;
  auto file = open_file(of(vfs), path, flags);
  if (!file) return code_of(file.error(), SQLITE_CANTOPEN);
  reinterpret_cast<FileRoom*>(room)->file = file->release();
  room->pMethods = &file_methods();
  if (opened != nullptr) *opened = flags;
  return SQLITE_OK;
}

int x_delete(sqlite3_vfs* vfs, const char* path, int sync_name) {
  const auto there = exists(of(vfs), path);
  if (!there) return SQLITE_IOERR_DELETE;
  if (!*there) return SQLITE_IOERR_DELETE_NOENT;
  if (const auto done = of(vfs).disk().remove(path); !done) return SQLITE_IOERR_DELETE;
  if (sync_name == 0) return SQLITE_OK;
  return of(vfs).disk().sync() ? SQLITE_OK : SQLITE_IOERR_DIR_FSYNC;
}

int x_access(sqlite3_vfs* vfs, const char* path, int, int* answer) {
  const auto there = exists(of(vfs), path);
  if (!there) return SQLITE_IOERR_ACCESS;
  *answer = *there ? 1 : 0;
  return SQLITE_OK;
}

int x_full_path(sqlite3_vfs*, const char* path, int room, char* full) {
  const std::size_t bytes = std::strlen(path) + 1;
  if (bytes > static_cast<std::size_t>(room)) return SQLITE_CANTOPEN;
  std::memcpy(full, path, bytes);
  return SQLITE_OK;
}

// The same bytes every time: a run may not depend on anything but its seed.
int x_random(sqlite3_vfs*, int count, char* bytes) {
  std::memset(bytes, 1, static_cast<std::size_t>(count));
  return count;
}

// One thread: nobody would end a wait.
int x_sleep(sqlite3_vfs*, int microseconds) { return microseconds; }

int x_time(sqlite3_vfs*, double* days) {
  *days = 0;
  return SQLITE_OK;
}

int x_last_error(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

DiskVfs::DiskVfs(base::Disk& disk) : disk_(disk) {
  static int count = 0;
  name_ = "baton-sim-" + std::to_string(++count);
  vfs_.iVersion = 1;
  vfs_.szOsFile = sizeof(FileRoom);
  vfs_.mxPathname = kLongestPath;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
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

DiskVfs::~DiskVfs() { sqlite3_vfs_unregister(&vfs_); }

}  // namespace baton::sim
