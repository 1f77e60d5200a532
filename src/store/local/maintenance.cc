#include "store/local/maintenance.h"

#include <filesystem>

#include "base/directory_lock.h"
#include "base/posix_disk.h"
#include "base/random.h"
#include "store/local/data_directory.h"
#include "store/local/local_store.h"

namespace baton::store::local {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Error;
using base::Result;
using base::Status;

Error unavailable(const std::string& message) { return {Code::kStoreUnavailable, message, {}, {}}; }

Status check_is_data(const std::string& directory) {
  if (fs::exists(catalog_path(directory))) return base::Ok{};
  return Error{Code::kNotFound, "there is no data of a Baton store in " + directory, {}, {}};
}

Status check_is_free(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path) || fs::is_empty(path, ignored)) return base::Ok{};
  return Error{Code::kConflict, path + " is there already, and not empty", {}, {}};
}

std::uint64_t bytes_in(const std::string& directory) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

// A directory that is made under another name first, and gets its own when it is complete.
class NewDirectory {
 public:
  explicit NewDirectory(const std::string& path)
      : path_(fs::path(path).lexically_normal().string()) {
    while (path_.size() > 1 && path_.ends_with('/'))
      path_.pop_back();
    partial_ = path_ + ".partial";
    std::error_code ignored;
    fs::remove_all(partial_, ignored);
    fs::create_directories(partial_, failed_);
  }
  ~NewDirectory() {
    std::error_code ignored;
    if (!done_) fs::remove_all(partial_, ignored);
  }
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

  const std::string& partial() const { return partial_; }
  Status made() const {
    if (!failed_) return base::Ok{};
    return unavailable("cannot make " + partial_ + ": " + failed_.message());
  }
  Status complete() {
    auto disk = base::PosixDisk::open(partial_);
    if (!disk) return disk.error();
    if (const auto synced = (*disk)->sync(); !synced) return synced;
    std::error_code error;
    fs::remove(path_, error);  // an empty one
    fs::rename(partial_, path_, error);
    if (error) return unavailable("cannot rename " + partial_ + ": " + error.message());
    done_ = true;
    const fs::path parent = fs::absolute(path_).parent_path();
    auto above = base::PosixDisk::open(parent.string());
    return above ? (*above)->sync() : Status(above.error());
  }

 private:
  std::string path_;
  std::string partial_;
  std::error_code failed_;
  bool done_ = false;
};

Status sync_file(const std::string& directory, const std::string& name) {
  auto disk = base::PosixDisk::open(directory);
  if (!disk) return disk.error();
  auto file = (*disk)->open(name, base::Access::kWrite);
  return file ? (*file)->sync() : Status(file.error());
}

DataOptions data_options(const std::string& directory) {
  DataOptions options;
  options.catalog.path = catalog_path(directory);
  options.functions = KeptTerms::any_function();
  return options;
}

// What the log has and the catalog has not is brought into the catalog, unless a store is there to
// do so by itself.
Status settle(const std::string& directory) {
  const auto lock = base::DirectoryLock::acquire(directory);
  if (!lock) return lock.error().code == Code::kConflict ? Status(base::Ok{}) : lock.error();
  auto disk = base::PosixDisk::open(directory);
  if (!disk) return disk.error();
  auto data = DataDirectory::open(**disk, data_options(directory));
  return data ? (*data)->finish() : Status(data.error());
}

// Copies a catalog into a new directory.
Result<BackupReport> copy(const std::string& from, const std::string& to) {
  NewDirectory target(to);
  if (const auto made = target.made(); !made) return made.error();
  KeptTerms terms(KeptTerms::any_function());
  CatalogOptions options;
  options.path = catalog_path(from);
  auto reader = CatalogReader::open(options, terms);
  if (!reader) return reader.error();
  const std::string path = catalog_path(target.partial());
  if (const auto copied = (*reader)->copy_to(path); !copied) return copied.error();
  BackupReport report;
  {
    options.path = path;
    auto copied = Catalog::open(options, terms);
    if (!copied) return copied.error();
    const auto findings = (*copied)->check();
    if (!findings) return findings.error();
    if (!findings->empty()) return unavailable("the copy is damaged: " + findings->front());
    report.as_of = (*copied)->applied_time();
  }
  const std::string name = fs::path(path).filename().string();
  if (const auto synced = sync_file(target.partial(), name); !synced) return synced.error();
  report.bytes = bytes_in(target.partial());
  if (const auto complete = target.complete(); !complete) return complete.error();
  return report;
}

void examine_machine(DataDirectory& data, Examination& examination) {
  Machine machine(data);
  const Time now = data.last_time();
  if (const auto loaded = data.load(machine, now); !loaded) {
    examination.findings.push_back(loaded.error().message);
    return;
  }
  for (std::string& wrong : machine.audit())
    examination.findings.push_back(std::move(wrong));
  examination.live_jobs = machine.live_jobs();
  base::Random random(1);
  GetStats page;
  for (bool more = true; more;) {
    const Turn turn = machine.turn({page}, now, random);
    const auto& stats = std::get<Stats>(turn.answers.front());
    examination.queues.insert(examination.queues.end(), stats.queues.begin(), stats.queues.end());
    more = stats.more;
    if (more) page.after = stats.queues.back().name;
  }
}

}  // namespace

Result<BackupReport> back_up(const std::string& directory, const std::string& target) {
  if (const auto there = check_is_data(directory); !there) return there.error();
  if (const auto free = check_is_free(target); !free) return free.error();
  if (const auto settled = settle(directory); !settled) return settled.error();
  return copy(directory, target);
}

Result<BackupReport> restore(const std::string& backup, const std::string& directory) {
  if (const auto there = check_is_data(backup); !there) return there.error();
  if (const auto free = check_is_free(directory); !free) return free.error();
  return copy(backup, directory);
}

Result<Examination> examine(const std::string& directory) {
  if (const auto there = check_is_data(directory); !there) return there.error();
  const auto lock = base::DirectoryLock::acquire(directory);
  if (!lock) return lock.error();
  auto disk = base::PosixDisk::open(directory);
  if (!disk) return disk.error();
  Examination examination;
  examination.bytes = bytes_in(directory);
  auto data = DataDirectory::open(**disk, data_options(directory));
  if (!data) {
    examination.findings.push_back(data.error().message);
    return examination;
  }
  examination.turns = (*data)->last_turn();
  examination.last_change = (*data)->last_time();
  auto findings = (*data)->check();
  if (!findings) {
    examination.findings.push_back(findings.error().message);
    return examination;
  }
  examination.findings = std::move(*findings);
  examine_machine(**data, examination);
  return examination;
}

}  // namespace baton::store::local
