#include "base/simulated_disk.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/assert.h"
#include "base/disk_error.h"

namespace baton::base {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kTornSector = 512;

}  // namespace

class SimulatedFile final : public File {
 public:
  SimulatedFile(SimulatedDisk& disk, std::string name, SimulatedDisk::Contents contents,
                Access access)
      : disk_(disk),
        name_(std::move(name)),
        contents_(std::move(contents)),
        access_(access),
        life_(disk.life_) {}

  Status read(std::uint64_t offset, std::span<std::byte> into) const override {
    BATON_ASSERT(access_ != Access::kDurableWrite);
    const std::lock_guard lock(disk_.mutex_);
    if (begin(SimulatedDisk::Fault::kRead) != Course::kGo) return broken_off("read");
    if (offset + into.size() > contents_->size())
      return disk_error("read", name_, "the file ends too early");
    contents_->read(offset, into);
    return Ok{};
  }

  Status write(std::uint64_t offset, std::span<const std::byte> from) override {
    BATON_ASSERT(access_ != Access::kRead);
    const std::lock_guard lock(disk_.mutex_);
    if (failed_) return disk_error("write", name_, "an earlier write or sync of this file failed");
    const Course course = begin(SimulatedDisk::Fault::kWrite);
    if (course == Course::kStopped) return broken_off("write");
    const bool fits = take_space(offset + from.size());
    if (course == Course::kGo && fits) {
      put(offset, from);
      return Ok{};
    }
    failed_ = access_ == Access::kDurableWrite;
    if (fits) tear(offset, from);
    return fits ? broken_off("write") : disk_error("write", name_, ENOSPC);
  }

  Status sync() override {
    const std::lock_guard lock(disk_.mutex_);
    if (failed_) return disk_error("sync", name_, "an earlier write or sync of this file failed");
    const Course course = begin(SimulatedDisk::Fault::kSync);
    if (course == Course::kGo) {
      contents_->sync();
      return Ok{};
    }
    // A process that stops in a sync leaves everything to the crash that follows.
    if (course == Course::kBreakOff && !disk_.stopped_now()) contents_->fail_sync(disk_.random_);
    failed_ = true;
    return broken_off("sync");
  }

  Result<std::uint64_t> size() const override {
    const std::lock_guard lock(disk_.mutex_);
    if (dead()) return broken_off("look at");
    return contents_->size();
  }

  Status resize(std::uint64_t size) override {
    BATON_ASSERT(access_ != Access::kRead);
    const std::lock_guard lock(disk_.mutex_);
    const Course course = begin(SimulatedDisk::Fault::kWrite);
    if (course != Course::kGo) return broken_off("resize");
    if (!take_space(size)) return disk_error("resize", name_, ENOSPC);
    contents_->resize(size);
    return Ok{};
  }

  // Asks the system, not the disk: it is no operation that could fail.
  bool has_name() const override {
    const std::lock_guard lock(disk_.mutex_);
    return std::any_of(disk_.names_.begin(), disk_.names_.end(),
                       [this](const auto& entry) { return entry.second == contents_; });
  }

 private:
  using Course = SimulatedDisk::Course;

  bool dead() const { return life_ != disk_.life_ || disk_.stopped_now(); }
  Course begin(SimulatedDisk::Fault kind) const {
    return life_ == disk_.life_ ? disk_.begin(kind) : Course::kStopped;
  }
  Error broken_off(const char* operation) const {
    if (dead()) return disk_error(operation, name_, "the process has died");
    return disk_error(operation, name_, EIO);
  }

  // Growing to `end` takes from what is free; shrinking gives nothing back.
  bool take_space(std::uint64_t end) {
    const std::uint64_t growth = end > contents_->size() ? end - contents_->size() : 0;
    if (growth > disk_.free_bytes_) return false;
    if (disk_.free_bytes_ != kUnlimited) disk_.free_bytes_ -= growth;
    return true;
  }

  void put(std::uint64_t offset, std::span<const std::byte> from) {
    if (access_ == Access::kDurableWrite) {
      BATON_ASSERT(offset % kDiskBlock == 0 && from.size() % kDiskBlock == 0);
      BATON_ASSERT(reinterpret_cast<std::uintptr_t>(from.data()) % kDiskBlock == 0);
      contents_->write_durable(offset, from);
    } else {
      contents_->write(offset, from);
    }
  }

  // Some sectors arrive and some do not. A durable write may have come only as far as the system's
  // memory, where readers find it until a crash.
  void tear(std::uint64_t offset, std::span<const std::byte> from) {
    Fate fate(disk_.random_);
    const bool on_disk = access_ == Access::kDurableWrite && disk_.random_.below(2) == 0;
    while (!from.empty()) {
      const std::size_t count = std::min(from.size(), kTornSector - offset % kTornSector);
      if (fate.spares()) {
        if (on_disk) {
          contents_->write_durable(offset, from.first(count));
        } else {
          contents_->write(offset, from.first(count));
        }
      }
      from = from.subspan(count);
      offset += count;
    }
  }

  SimulatedDisk& disk_;
  std::string name_;
  SimulatedDisk::Contents contents_;
  Access access_;
  std::uint64_t life_;
  bool failed_ = false;
};

// ---- Names ------------------------------------------------------------------------------------

Result<std::unique_ptr<File>> SimulatedDisk::file(const std::string& name, Contents contents,
                                                  Access access) {
  return std::unique_ptr<File>(
      std::make_unique<SimulatedFile>(*this, name, std::move(contents), access));
}

Result<std::unique_ptr<File>> SimulatedDisk::open(const std::string& name, Access access) {
  const std::lock_guard lock(mutex_);
  if (begin() != Course::kGo) return disk_error("open", name, "the process has died");
  const auto found = names_.find(name);
  if (found == names_.end()) return disk_error("open", name, ENOENT);
  return file(name, found->second, access);
}

Result<std::unique_ptr<File>> SimulatedDisk::create(const std::string& name, Access access) {
  const std::lock_guard lock(mutex_);
  if (names_.contains(name)) return disk_error("create", name, EEXIST);
  const auto contents = std::make_shared<SimulatedContents>();
  if (const Status done = change_name("create", name, {contents, name}); !done) return done.error();
  return file(name, contents, access);
}

Status SimulatedDisk::rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(from);
  if (found == names_.end()) return disk_error("rename", from, ENOENT);
  return change_name("rename", from, {found->second, to});
}

Status SimulatedDisk::remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(name);
  if (found == names_.end()) return disk_error("remove", name, ENOENT);
  return change_name("remove", name, {found->second, ""});
}

Result<std::vector<std::string>> SimulatedDisk::list() {
  const std::lock_guard lock(mutex_);
  if (begin() != Course::kGo) return disk_error("list", "the directory", "the process has died");
  std::vector<std::string> names;
  for (const auto& [name, contents] : names_)
    names.push_back(name);
  return names;
}

Status SimulatedDisk::sync() {
  const std::lock_guard lock(mutex_);
  const Course course = begin(Fault::kSync);
  if (course == Course::kGo) {
    for (const NameChange& change : unsynced_)
      apply(change, durable_names_);
    unsynced_.clear();
    return Ok{};
  }
  return disk_error("sync", "the directory", stopped_now() ? "the process has died" : "I/O error");
}

Status SimulatedDisk::change_name(const char* operation, const std::string& name,
                                  const NameChange& change) {
  const Course course = begin();
  const bool happens =
      course == Course::kGo || (course == Course::kBreakOff && Fate(random_).spares());
  if (happens) {
    std::uint64_t freed = 0;
    if (const auto replaced = names_.find(change.to); replaced != names_.end())
      freed += replaced->second->size();
    if (change.to.empty()) freed += change.contents->size();
    if (free_bytes_ != kUnlimited) free_bytes_ += freed;
    apply(change, names_);
    unsynced_.push_back(change);
  }
  if (course == Course::kGo) return Ok{};
  return disk_error(operation, name, "the process has died");
}

void SimulatedDisk::apply(const NameChange& change, Names& names) {
  std::erase_if(names, [&](const auto& entry) { return entry.second == change.contents; });
  if (!change.to.empty()) names[change.to] = change.contents;
}

// Some of the unsynced changes are made durable and the others are forgotten: the first ones, as a
// file system with a journal does it, or any.
void SimulatedDisk::settle_names() {
  const bool in_order = random_.below(2) == 0;
  Fate fate(random_);
  for (const NameChange& change : unsynced_) {
    if (fate.spares()) {
      apply(change, durable_names_);
    } else if (in_order) {
      break;
    }
  }
  unsynced_.clear();
}

// ---- Faults -----------------------------------------------------------------------------------

SimulatedDisk::Course SimulatedDisk::begin() {
  ++operations_;
  if (operations_ < stop_at_) return Course::kGo;
  return operations_ == stop_at_ ? Course::kBreakOff : Course::kStopped;
}

SimulatedDisk::Course SimulatedDisk::begin(Fault kind) {
  const Course course = begin();
  const auto fault = faults_.find(kind);
  if (course != Course::kGo || fault == faults_.end()) return course;
  if (fault->second-- > 0) return Course::kGo;
  faults_.erase(fault);
  return Course::kBreakOff;
}

void SimulatedDisk::fail(Fault kind, std::uint64_t after) {
  const std::lock_guard lock(mutex_);
  faults_[kind] = after;
}

void SimulatedDisk::set_free_bytes(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  free_bytes_ = bytes;
}

void SimulatedDisk::flip_bit(const std::string& name, std::uint64_t bit) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(name);
  BATON_ASSERT(found != names_.end());
  found->second->flip_bit(bit);
}

void SimulatedDisk::stop_at(std::uint64_t operation) {
  const std::lock_guard lock(mutex_);
  stop_at_ = operation;
}

std::uint64_t SimulatedDisk::operations() const {
  const std::lock_guard lock(mutex_);
  return operations_;
}

bool SimulatedDisk::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_now();
}

void SimulatedDisk::crash() {
  const std::lock_guard lock(mutex_);
  settle_names();
  names_ = durable_names_;
  for (const auto& [name, contents] : names_)
    contents->crash(random_);
  start_again();
}

void SimulatedDisk::restart() {
  const std::lock_guard lock(mutex_);
  start_again();
}

void SimulatedDisk::start_again() {
  faults_.clear();
  stop_at_ = kUnlimited;
  ++life_;
}

}  // namespace baton::base
