// A Disk between whose operations something else happens, as another process would do it. Writing
// is not interrupted. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/disk.h"

namespace baton::sim {

class InterruptedDisk final : public base::Disk {
 public:
  // Both must outlive it. `meanwhile` is called before each opening, listing and reading.
  InterruptedDisk(base::Disk& disk, std::function<void()> meanwhile)
      : disk_(disk), meanwhile_(std::move(meanwhile)) {}

  Result<std::unique_ptr<base::File>> open(const std::string& name, base::Access access) override {
    meanwhile_();
    auto file = disk_.open(name, access);
    if (!file) return file.error();
    return std::unique_ptr<base::File>(std::make_unique<InterruptedFile>(*this, std::move(*file)));
  }
  Result<std::unique_ptr<base::File>> create(const std::string& name,
                                             base::Access access) override {
    return disk_.create(name, access);
  }
  Status rename(const std::string& from, const std::string& to) override {
    return disk_.rename(from, to);
  }
  Status remove(const std::string& name) override { return disk_.remove(name); }
  Result<std::vector<std::string>> list() override {
    meanwhile_();
    return disk_.list();
  }
  Status sync() override { return disk_.sync(); }

 private:
  class InterruptedFile final : public base::File {
   public:
    InterruptedFile(InterruptedDisk& disk, std::unique_ptr<base::File> file)
        : disk_(disk), file_(std::move(file)) {}
    Status read(std::uint64_t offset, std::span<std::byte> into) const override {
      disk_.meanwhile_();
      return file_->read(offset, into);
    }
    Status write(std::uint64_t offset, std::span<const std::byte> from) override {
      return file_->write(offset, from);
    }
    Status sync() override { return file_->sync(); }
    Result<std::uint64_t> size() const override { return file_->size(); }
    Status resize(std::uint64_t size) override { return file_->resize(size); }
    bool has_name() const override { return file_->has_name(); }

   private:
    InterruptedDisk& disk_;
    std::unique_ptr<base::File> file_;
  };

  base::Disk& disk_;
  std::function<void()> meanwhile_;
};

}  // namespace baton::sim
