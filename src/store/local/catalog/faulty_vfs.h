// An SQLite file system on top of the real one that stops working after so many operations that
// write: from then on every one of them fails, as on a disk that was pulled out. For tests only;
// one thread.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>

namespace baton::store::local::testbed {

class FaultyVfs {
 public:
  FaultyVfs();
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  const char* name() const { return "baton-faulty"; }
  // So many writes, truncations and syncs succeed, and then none. Negative: all.
  void fail_after(std::int64_t operations) { left_ = operations; }
  // How many there were since the last call.
  std::int64_t operations() {
    const std::int64_t count = count_;
    count_ = 0;
    return count;
  }
  // With which code they fail.
  void fail_with(int code) { code_ = code; }

  // For the file system's own functions: SQLITE_OK while it works.
  int operate();

 private:
  sqlite3_vfs vfs_{};
  std::int64_t left_ = -1;
  std::int64_t count_ = 0;
  int code_ = SQLITE_IOERR;
};

}  // namespace baton::store::local::testbed
