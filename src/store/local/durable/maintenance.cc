#include "store/local/durable/maintenance.h"

#include <stdlib.h>

#include <filesystem>
#include <set>
#include <string_view>

#include "base/directory_lock.h"
#include "base/posix_disk.h"
#include "base/private_files.h"
#include "base/random.h"
#include "store/local/durable/data_directory.h"
#include "store/local/durable/store_copy.h"
#include "store/local/local_store.h"

namespace baton::store::local {
namespace {

namespace fs = std::filesystem;

Error unavailable(const std::string& message) { return {Code::kStoreUnavailable, message, {}, {}}; }

Status check_is_data(const std::string& directory) {
  std::error_code error;
  fs::directory_iterator at(directory, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name != "lock" && is_of_a_store(name)) return Ok{};
  }
  return Error{Code::kNotFound, "there is no data of a Baton store in " + directory, {}, {}};
}

Status check_is_free(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path) || fs::is_empty(path, ignored)) return Ok{};
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
    made_ = base::make_private_directories(partial_);
  }
  ~NewDirectory() {
    std::error_code ignored;
    if (!done_) fs::remove_all(partial_, ignored);
  }
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

  const std::string& partial() const { return partial_; }
  const Status& made() const { return made_; }
  Status complete() {
    auto disk = base::PosixDisk::open(partial_);
    if (!disk) return disk.error();
    if (const auto synced = (*disk)->sync(); !synced) return synced.error();
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
  Status made_ = Ok{};
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
  options.functions = TermsTable::any_function();
  return options;
}

// What opening the directory finds, and what is wrong with it then.
struct Opened {
  std::unique_ptr<base::PosixDisk> disk;
  std::unique_ptr<DataDirectory> data;
};
Result<Opened> open_data(const std::string& directory) {
  auto disk = base::PosixDisk::open(directory);
  if (!disk) return disk.error();
  auto data = DataDirectory::open(**disk, data_options(directory));
  if (!data) return data.error();
  return Opened{std::move(*disk), std::move(*data)};
}

// Takes from a copy what no longer belongs to a store: its log, and whose it was.
Status make_ownerless(const std::string& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    std::error_code error;
    if (!name.starts_with("catalog.db")) fs::remove(entry.path(), error);
    if (error) return unavailable("cannot remove " + entry.path().string());
  }
  TermsTable terms(TermsTable::any_function());
  auto catalog = Catalog::open(data_options(directory).catalog, terms);
  if (!catalog) return catalog.error();
  if (const auto done = (*catalog)->set_store_id(0); !done) return done.error();
  return (*catalog)->checkpoint();
}

// As far as it can be read: first with the log but without asking whether they belong together,
// then the catalog alone.
Result<Opened> open_damaged(const std::string& directory) {
  std::error_code ignored;
  fs::remove(fs::path(directory) / kManifestName, ignored);
  {
    TermsTable terms(TermsTable::any_function());
    auto catalog = Catalog::open(data_options(directory).catalog, terms);
    if (!catalog) return catalog.error();
    if (const auto done = (*catalog)->set_store_id(0); !done) return done.error();
  }
  auto opened = open_data(directory);
  if (opened) return opened;
  if (const auto done = make_ownerless(directory); !done) return done.error();
  return open_data(directory);
}

// Recovers a copy, looks at all of it, and leaves a catalog that has everything.
Result<BackupReport> complete_copy(const std::string& directory, bool damaged) {
  BackupReport report;
  {
    auto opened = open_data(directory);
    if (!opened && damaged) {
      report.findings.push_back(opened.error().message);
      opened = open_damaged(directory);
    }
    if (!opened) return opened.error();
    DataDirectory& data = *opened->data;
    const auto findings = data.check();
    if (!findings) return findings.error();
    if (!findings->empty() && !damaged)
      return unavailable("the data is damaged and was not copied (--damaged does): " +
                         findings->front());
    report.findings.insert(report.findings.end(), findings->begin(), findings->end());
    if (const auto finished = data.finish(); !finished) return finished.error();
    report.as_of = data.last_time();
  }
  if (const auto done = make_ownerless(directory); !done) return done.error();
  const std::string name = fs::path(catalog_path(directory)).filename().string();
  if (const auto synced = sync_file(directory, name); !synced) return synced.error();
  report.bytes = bytes_in(directory);
  return report;
}

// Copies a store into a new directory.
Result<BackupReport> copy(const std::string& from, const std::string& to, bool damaged) {
  const auto lock = base::DirectoryLock::acquire_to_read(from);
  const bool in_use = !lock && lock.error().code == Code::kConflict;
  if (!lock && !in_use) return lock.error();
  NewDirectory target(to);
  if (const auto& made = target.made(); !made) return made.error();
  const auto copied =
      in_use ? copy_while_in_use(from, target.partial()) : copy_files(from, target.partial());
  if (!copied) return copied.error();
  auto report = complete_copy(target.partial(), damaged);
  if (!report) return report.error();
  if (const auto complete = target.complete(); !complete) return complete.error();
  return report;
}

void examine_machine(DataDirectory& data, Examination& examination) {
  Machine machine(data, {}, &data.terms());
  const Time now = data.last_time();
  if (const auto loaded = data.load(machine, now); !loaded) {
    examination.findings.push_back(loaded.error().message);
    return;
  }
  for (std::string& wrong : machine.audit())
    examination.findings.push_back(std::move(wrong));
  examination.live_jobs = machine.live_jobs();
  examination.counted = true;
  base::Random random(1);
  do
    machine.reopen(now, random);
  while (machine.is_reopening());
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

Result<BackupReport> back_up(const std::string& directory, const std::string& target,
                             bool damaged) {
  if (const auto there = check_is_data(directory); !there) return there.error();
  if (const auto free = check_is_free(target); !free) return free.error();
  return copy(directory, target, damaged);
}

Result<BackupReport> restore(const std::string& backup, const std::string& directory) {
  if (const auto there = check_is_data(backup); !there) return there.error();
  if (const auto free = check_is_free(directory); !free) return free.error();
  return copy(backup, directory, false);
}

// ---- Examining --------------------------------------------------------------------------------

namespace {

// A directory for the time of an examination, where there is room for a copy; empty: nowhere.
class Scratch {
 public:
  explicit Scratch(std::uint64_t bytes) {
    std::error_code error;
    for (const fs::path& place : {fs::temp_directory_path(error), fs::path("/dev/shm")}) {
      const auto room = fs::space(place, error);
      if (error || room.available < bytes + kRoomToRecover) continue;
      path_ = (place / "baton-doctor-XXXXXX").string();
      if (::mkdtemp(path_.data()) != nullptr) return;
      path_.clear();
    }
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }

 private:
  static constexpr std::uint64_t kRoomToRecover = std::uint64_t{96} << 20;

  std::string path_;
};

// Findings about a job begin with its number.
std::size_t jobs_named_in(const std::vector<std::string>& findings) {
  constexpr std::string_view kJob = "job ";
  std::set<std::string> jobs;
  for (const std::string& finding : findings) {
    if (finding.starts_with(kJob))
      jobs.insert(finding.substr(0, finding.find_first_of(": ", kJob.size())));
  }
  return jobs.size();
}

// Recovery of a copy, as opening the store would do it, and everything compared with everything.
void examine_copy(const std::string& directory, Examination& examination) {
  auto opened = open_data(directory);
  if (!opened) {
    examination.findings.push_back(opened.error().message);
    return;
  }
  DataDirectory& data = *opened->data;
  examination.turns = data.last_turn();
  examination.last_change = data.last_time();
  auto findings = data.check();
  if (!findings) {
    examination.findings.push_back(findings.error().message);
    return;
  }
  examination.findings = std::move(*findings);
  examination.affected_jobs = jobs_named_in(examination.findings);
  examine_machine(data, examination);
}

}  // namespace

Result<Examination> examine(const std::string& directory) {
  if (const auto there = check_is_data(directory); !there) return there.error();
  Examination examination;
  examination.bytes = bytes_in(directory);
  const auto lock = base::DirectoryLock::acquire_to_read(directory);
  const bool in_use = !lock && lock.error().code == Code::kConflict;
  if (!lock && !in_use) return lock.error();
  if (in_use) examination.notes.push_back(lock.error().message + "; it was copied as it is now");
  if (!fs::exists(catalog_path(directory)))
    examination.notes.push_back("catalog.db is missing: opening the store makes it from the log");
  const Scratch scratch(examination.bytes);
  if (scratch.path().empty())
    return unavailable(
        "there is no room for a copy to examine: " + std::to_string(examination.bytes >> 20) +
        " MiB and 96 more, in TMPDIR or in /dev/shm");
  const auto copied =
      in_use ? copy_while_in_use(directory, scratch.path()) : copy_files(directory, scratch.path());
  if (!copied) {
    examination.findings.push_back(copied.error().message);
    return examination;
  }
  examine_copy(scratch.path(), examination);
  return examination;
}

}  // namespace baton::store::local
