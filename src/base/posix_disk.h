// A Disk that is a directory of the file system. Files of Access::kDurableWrite are opened with
// O_DIRECT|O_DSYNC; where the file system has no O_DIRECT, with O_DSYNC alone, which costs what a
// write and an fdatasync cost. Interrupted and partial writes are continued; nothing else is ever
// tried twice. Threads as disk.h says.
#pragma once

#include <memory>
#include <string>

#include "base/disk.h"

namespace baton::base {

class PosixDisk final : public Disk {
 public:
  // The directory must exist (base::DirectoryLock makes it); an error otherwise.
  static Result<std::unique_ptr<PosixDisk>> open(const std::string& path);
  ~PosixDisk() override;
  PosixDisk(const PosixDisk&) = delete;
  PosixDisk& operator=(const PosixDisk&) = delete;

  Result<std::unique_ptr<File>> open(const std::string& name, Access access) override;
  Result<std::unique_ptr<File>> create(const std::string& name, Access access) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& name) override;
  Result<std::vector<std::string>> list() override;
  Status sync() override;

 private:
  PosixDisk(std::string path, int directory) : path_(std::move(path)), directory_(directory) {}
  std::string full(const std::string& name) const { return path_ + "/" + name; }
  Result<std::unique_ptr<File>> open_file(const std::string& name, Access access, bool create);

  std::string path_;
  int directory_;
};

}  // namespace baton::base
