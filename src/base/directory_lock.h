// Keeps a directory for one process, and within it for one owner. The lock is the kernel's, on the
// file `lock` in the directory, so that it ends with the process however that dies; the file itself
// stays. It says nothing to programs that do not ask for it.
#pragma once

#include <string>

#include "base/result.h"

namespace baton::base {

class DirectoryLock {
 public:
  // Makes the directory and its parents when they are missing, and takes the lock. Errors:
  // conflict, when another owner has it, with the process that does; store_unavailable, when the
  // directory cannot be made or the file not be opened. Any thread.
  static Result<DirectoryLock> acquire(const std::string& path);

  // Gives the lock back.
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&& other) noexcept;

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace baton::base
