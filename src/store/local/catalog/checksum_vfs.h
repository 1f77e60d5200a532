// A file system of SQLite's on top of another one, under which every page that is read from a
// catalog is checked: pages of the database file by the checksum that is put on them when they are
// written, pages of the write-ahead log by SQLite's own sums of its frames. What does not fit is
// SQLITE_IOERR_DATA, and last_damage() says where. A database of another program, or of the first
// format, is passed through as it is. Each connection has a file system of its own.
#pragma once

#include <sqlite3.h>

#include <string>

namespace baton::store::local {

class ChecksumVfs {
 public:
  // `below`: the name of the one beneath; empty: the system's. Registers itself with SQLite until
  // it is destroyed; its connection must be gone by then.
  explicit ChecksumVfs(const std::string& below);
  ~ChecksumVfs();
  ChecksumVfs(const ChecksumVfs&) = delete;
  ChecksumVfs& operator=(const ChecksumVfs&) = delete;

  const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
  sqlite3_vfs vfs_{};
};

// A control of an open database file (sqlite3_file_control): whether its pages have checksums, as
// an int.
inline constexpr int kHasChecksums = 0x4261'7401;

// What the last SQLITE_IOERR_DATA on this thread was about: "page 7 of /x/catalog.db ...".
const std::string& last_damage();

}  // namespace baton::store::local
