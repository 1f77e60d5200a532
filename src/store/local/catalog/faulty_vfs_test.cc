// The definitions of faulty_vfs.h, in a file that only the test program has.
#include "store/local/catalog/faulty_vfs.h"

#include <gtest/gtest.h>

#include <new>

namespace baton::store::local::testbed {
namespace {

struct FaultyFile {
  sqlite3_file base;
  FaultyVfs* vfs;
  sqlite3_file* real;
};

FaultyFile& faulty(sqlite3_file* file) { return *reinterpret_cast<FaultyFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return faulty(file).real; }
const sqlite3_io_methods& methods(sqlite3_file* file) { return *real(file)->pMethods; }

int close_file(sqlite3_file* file) { return methods(file).xClose(real(file)); }
int read_file(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
  return methods(file).xRead(real(file), into, size, offset);
}
int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
  const int code = faulty(file).vfs->operate();
  return code != SQLITE_OK ? code : methods(file).xWrite(real(file), from, size, offset);
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  const int code = faulty(file).vfs->operate();
  return code != SQLITE_OK ? code : methods(file).xTruncate(real(file), size);
}
int sync_file(sqlite3_file* file, int flags) {
  const int code = faulty(file).vfs->operate();
  return code != SQLITE_OK ? code : methods(file).xSync(real(file), flags);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return methods(file).xFileSize(real(file), size);
}
int lock(sqlite3_file* file, int level) { return methods(file).xLock(real(file), level); }
int unlock(sqlite3_file* file, int level) { return methods(file).xUnlock(real(file), level); }
int check_lock(sqlite3_file* file, int* held) {
  return methods(file).xCheckReservedLock(real(file), held);
}
int file_control(sqlite3_file* file, int what, void* argument) {
  return methods(file).xFileControl(real(file), what, argument);
}
int sector_size(sqlite3_file* file) { return methods(file).xSectorSize(real(file)); }
int characteristics(sqlite3_file* file) { return methods(file).xDeviceCharacteristics(real(file)); }
int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** into) {
  return methods(file).xShmMap(real(file), region, size, extend, into);
}
int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return methods(file).xShmLock(real(file), offset, count, flags);
}
void shm_barrier(sqlite3_file* file) { methods(file).xShmBarrier(real(file)); }
int shm_unmap(sqlite3_file* file, int remove) {
  return methods(file).xShmUnmap(real(file), remove);
}

constexpr sqlite3_io_methods kMethods = {
    2,        close_file,  read_file,  write_file,   truncate_file, sync_file,       file_size,
    lock,     unlock,      check_lock, file_control, sector_size,   characteristics, shm_map,
    shm_lock, shm_barrier, shm_unmap,  nullptr,      nullptr};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  sqlite3_vfs* const below = sqlite3_vfs_find(nullptr);
  auto* const made = new (file) FaultyFile{};
  made->vfs = static_cast<FaultyVfs*>(vfs->pAppData);
  made->real = reinterpret_cast<sqlite3_file*>(made + 1);
  const int code = below->xOpen(below, name, made->real, flags, out_flags);
  // Without methods SQLite does not close it.
  if (code == SQLITE_OK) made->base.pMethods = &kMethods;
  return code;
}

}  // namespace

FaultyVfs::FaultyVfs() {
  vfs_ = *sqlite3_vfs_find(nullptr);
  vfs_.szOsFile += static_cast<int>(sizeof(FaultyFile));
  vfs_.zName = name();
  vfs_.pNext = nullptr;
  vfs_.pAppData = this;
  vfs_.xOpen = open_file;
  EXPECT_EQ(sqlite3_vfs_register(&vfs_, 0), SQLITE_OK);
}

FaultyVfs::~FaultyVfs() { sqlite3_vfs_unregister(&vfs_); }

int FaultyVfs::operate() {
  ++count_;
  if (left_ == 0) return code_;
  if (left_ > 0) --left_;
  return SQLITE_OK;
}

}  // namespace baton::store::local::testbed
