#include "store/local/catalog/id_index.h"

#include <algorithm>
#include <limits>

#include "store/local/catalog/list_sql.h"

namespace baton::store::local {
namespace {

// How far a slice may be behind: part of all jobs, within bounds, of which the lower one is in the
// tuning. The more it is, the fewer pages are written for each job, and the more is in memory.
constexpr std::int64_t kMostBehind = std::int64_t{1} << 19;
constexpr std::int64_t kPartBehind = 16;

constexpr std::size_t kDropAtLeast = std::size_t{1} << 16;
// So many new jobs are taken without asking what the table has by now.
constexpr std::int64_t kFew = std::int64_t{1} << 12;

std::int64_t head_of(const JobId& id) {
  std::uint64_t head = 0;
  for (std::size_t i = 0; i < sizeof head; ++i)
    head = head << 8 | id.uuid.bytes[i];
  return static_cast<std::int64_t>(head);
}

std::size_t slice_of(const JobId& id) { return LaterIds::slice_of(id); }

}  // namespace

std::string_view bytes_of(const JobId& id) {
  return {reinterpret_cast<const char*>(id.uuid.bytes.data()), id.uuid.bytes.size()};
}

IdIndex::IdIndex(Database& database, IdOptions options)
    : database_(database),
      options_(std::move(options)),
      in_table_(database,
                "SELECT ids.number FROM ids JOIN jobs USING (number) WHERE head = ? AND id = ?"),
      by_head_(database, kHeadNumbersSql),
      later_(database, "SELECT number, id FROM jobs WHERE number > ? ORDER BY number"),
      slices_(database, "SELECT slice, until FROM id_slices"),
      add_(database, "INSERT INTO ids(head, number) VALUES (?, ?)"),
      remove_(database, "DELETE FROM ids WHERE head = ? AND number = ?"),
      move_(database, "UPDATE id_slices SET until = ?2 WHERE slice = ?1") {
  if (options_.publishes) publish_all();
}

// Once, when the catalog is opened: whoever shares the map reads none of these rows.
void IdIndex::publish_all() {
  Transaction transaction(database_, Transaction::Kind::kRead);
  learn();
  transaction.commit();
  const std::vector<LaterIds::Job> jobs(later_jobs_.begin(), later_jobs_.end());
  options_.shared->add(jobs);
}

void IdIndex::forget() {
  added_.clear();
  removed_.clear();
  read_ = false;
  seen_ = 0;
  later_jobs_.clear();
}

std::int64_t IdIndex::least() const { return *std::min_element(until_.begin(), until_.end()); }

void IdIndex::read_slices() {
  for (Cursor row = slices_.query(); row.next();) {
    const std::int64_t slice = row.integer(0);
    if (slice < 0 || slice >= static_cast<std::int64_t>(kSlices)) {
      database_.fail("there is no slice " + std::to_string(slice) + " of ids");
    }
    until_[static_cast<std::size_t>(slice)] = row.integer(1);
  }
}

// Looks at the jobs that came since the last time.
void IdIndex::learn() {
  if (!read_) {
    read_slices();
    seen_ = least();
    drop_at_ = kDropAtLeast;
    read_ = true;
  }
  if (!read_later(kFew)) {
    // It has not looked for long, and the table has most of what came since.
    drop_covered();
    seen_ = std::max(seen_, least());
    read_later(std::numeric_limits<std::int64_t>::max());
  }
  if (later_jobs_.size() > drop_at_) drop_covered();
}

// Takes up to so many jobs that it has not seen; false when there are more.
bool IdIndex::read_later(std::int64_t most) {
  for (Cursor row = later_.query(seen_); row.next();) {
    if (most-- == 0) return false;
    const std::string_view bytes = row.text(1);
    JobId id;
    if (bytes.size() != id.uuid.bytes.size()) database_.fail("an id has not sixteen bytes");
    std::copy(bytes.begin(), bytes.end(), id.uuid.bytes.begin());
    seen_ = row.integer(0);
    if (seen_ > until_[slice_of(id)]) later_jobs_.emplace(id, seen_);
  }
  return true;
}

// The writer may have gone on with the table.
void IdIndex::drop_covered() {
  read_slices();
  boost::unordered::erase_if(
      later_jobs_, [this](const auto& job) { return job.second <= until_[slice_of(job.first)]; });
  drop_at_ = std::max(kDropAtLeast, 2 * later_jobs_.size());
  if (later_jobs_.bucket_count() > 2 * drop_at_) later_jobs_.rehash(0);
}

std::optional<std::int64_t> IdIndex::find_shared(const JobId& id) const {
  return options_.shared ? options_.shared->find(id) : std::nullopt;
}

std::shared_lock<std::shared_mutex> IdIndex::keep_shared() const {
  return options_.shared ? options_.shared->keep() : std::shared_lock<std::shared_mutex>();
}

std::optional<std::int64_t> IdIndex::find(const JobId& id) {
  Cursor row = in_table_.query(head_of(id), Blob{bytes_of(id)});
  if (row.next()) return row.integer(0);
  if (options_.shared && !options_.publishes) return std::nullopt;
  learn();
  const auto found = later_jobs_.find(id);
  if (found == later_jobs_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::int64_t> IdIndex::find_shared(const IdPrefix& prefix) const {
  return options_.shared ? options_.shared->find(prefix) : std::vector<std::int64_t>();
}

// Ids that begin alike have heads of one sign, for they share the first bit.
std::vector<std::int64_t> IdIndex::find(const IdPrefix& prefix, std::size_t most) {
  std::vector<std::int64_t> numbers;
  for (Cursor row = by_head_.query(head_of(prefix.lowest), head_of(prefix.highest),
                                   static_cast<std::int64_t>(most));
       row.next();) {
    numbers.push_back(row.integer(0));
  }
  if (options_.shared && !options_.publishes) return numbers;
  learn();
  for (const auto& [id, number] : later_jobs_) {
    if (prefix.matches(id)) numbers.push_back(number);
  }
  return numbers;
}

bool IdIndex::covers(const JobId& id, std::int64_t number) {
  learn();
  return number <= until_[slice_of(id)];
}

void IdIndex::added(const JobId& id, std::int64_t number) {
  if (options_.publishes) added_.emplace_back(id, number);
  if (!read_) return;
  later_jobs_.emplace(id, number);
  seen_ = number;
}

void IdIndex::committed() {
  if (!options_.publishes) return;
  options_.shared->add(added_);
  for (const JobId& id : removed_)
    options_.shared->remove(id);
  added_.clear();
  removed_.clear();
}

void IdIndex::remove(const JobId& id, std::int64_t number) {
  if (options_.publishes) removed_.push_back(id);
  if (covers(id, number)) {
    remove_.run(head_of(id), number);
  } else {
    later_jobs_.erase(id);
  }
}

void IdIndex::catch_up(std::int64_t last_number) {
  const std::int64_t allowed =
      std::clamp(last_number / kPartBehind, options_.least_behind, kMostBehind);
  if (!read_) learn();
  while (last_number - least() > allowed) {
    const auto last = std::min_element(until_.begin(), until_.end());
    merge(static_cast<std::size_t>(last - until_.begin()), last_number);
    if (last_number - least() <= 2 * allowed) return;
  }
}

void IdIndex::merge(std::size_t slice, std::int64_t last_number) {
  Transaction transaction(database_, Transaction::Kind::kWrite);
  learn();
  std::vector<std::pair<std::int64_t, std::int64_t>> jobs;  // head, number
  for (const auto& [id, number] : later_jobs_) {
    if (slice_of(id) == slice) jobs.emplace_back(head_of(id), number);
  }
  std::sort(jobs.begin(), jobs.end());
  for (const auto& [head, number] : jobs)
    add_.run(head, number);
  move_.run(static_cast<std::int64_t>(slice), last_number);
  transaction.commit();
  until_[slice] = last_number;
  if (options_.publishes) options_.shared->drop(slice, last_number);
  boost::unordered::erase_if(later_jobs_,
                             [slice](const auto& job) { return slice_of(job.first) == slice; });
}

}  // namespace baton::store::local
