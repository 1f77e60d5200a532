// Keeps a directory for one process, and within it for one owner. The locks are the kernel's, on
// the directory itself and on the file `lock` in it, so that they end with the process however that
// dies; the file itself stays. Whatever is done to the file, the directory stays locked, and
// wherever the directory is moved, the lock goes with it. They say nothing to programs that do not
// ask for them.
#pragma once

#include <string>

#include "baton/result.h"

namespace baton::base {

class DirectoryLock {
 public:
  // Makes the directory and its parents when they are missing, private to their owner, and takes
  // the lock. Errors: conflict, when another owner has it, with the process that does;
  // store_unavailable, when the directory cannot be made or the file not be opened. Any thread.
  static Result<DirectoryLock> acquire(const std::string& path);
  // The same for a directory that is there and of which nothing is to be written: makes no file,
  // and needs no right to write.
  static Result<DirectoryLock> acquire_to_read(const std::string& path);

  // Gives the lock back.
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&& other) noexcept;

 private:
  DirectoryLock(int directory, int file) : directory_(directory), file_(file) {}
  static Result<DirectoryLock> lock_directory(const std::string& path);

  int directory_;
  int file_;  // -1: only the directory is locked
};

}  // namespace baton::base
