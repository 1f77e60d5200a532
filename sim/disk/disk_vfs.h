// SQLite on a base::Disk: a file system of SQLite's whose files are the disk's, so that a catalog
// meets the same failures and power cuts as the log beside it. It syncs what the one for Unix
// syncs. Temporary files are in memory. One thread.
#pragma once

#include <sqlite3.h>

#include <map>
#include <memory>
#include <string>

#include "base/disk.h"
#include "sim/disk/file_locks.h"

namespace baton::sim {

class DiskVfs {
 public:
  // Registers itself with SQLite until it is destroyed; connections must be gone by then.
  explicit DiskVfs(base::Disk& disk);
  ~DiskVfs();
  DiskVfs(const DiskVfs&) = delete;
  DiskVfs& operator=(const DiskVfs&) = delete;

  const std::string& name() const { return name_; }
  base::Disk& disk() { return disk_; }
  FileLocks& locks(const std::string& file) { return locks_[file]; }
  // The process has died: its locks and its shared memory are gone. Connections must be, too.
  void forget() { locks_.clear(); }

 private:
  base::Disk& disk_;
  std::string name_;
  sqlite3_vfs vfs_{};
  std::map<std::string, FileLocks> locks_;
};

}  // namespace baton::sim
