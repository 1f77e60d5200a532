#include "store/local/catalog/load.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "store/local/catalog/account_rows.h"
#include "store/local/catalog/schema.h"

namespace baton::store::local {
namespace {

// Reading all rows in a row is cheaper than looking up one in so many.
constexpr std::int64_t kScanWhenOneOf = 4;

// The columns of the two statements that read live jobs.
enum Column : int {
  kNumber,
  kKind,
  kState,
  kCreatedAt,
  kReady,
  kId,
  kFacts,
  kAccount,
  kKey,
};
constexpr const char* kAllJobs =
    "SELECT number, kind, state, created_at, ready, id, facts, account, key, key_expires, "
    "key_payload "
    "FROM jobs ORDER BY number";
constexpr const char* kOneJob =
    "SELECT number, kind, state, created_at, ready, id, facts, account, key, key_expires, "
    "key_payload "
    "FROM jobs WHERE number = ?";

class Loader {
 public:
  Loader(Database& database, JobRows& rows, const CatalogVisitor& visitor)
      : database_(database),
        rows_(rows),
        visitor_(visitor),
        account_rows_(database),
        body_size_(database, "SELECT length(body) FROM bodies WHERE number = ?") {}

  void load_queues();
  void load_jobs();
  void load_keys(Time now);

 private:
  std::vector<std::int64_t> live_numbers();
  void visit_all();
  void visit(const Cursor& row);
  void expect_known(const LiveJob& job, std::int64_t kind);
  void visit_account(const LiveJob& job);

  Database& database_;
  JobRows& rows_;
  const CatalogVisitor& visitor_;
  AccountRows account_rows_;
  Statement body_size_;
  std::int64_t live_ = 0;
  std::int64_t all_ = 0;
  std::int64_t visited_ = 0;
  // What jobs may name.
  std::int64_t last_number_ = 0;
  std::unordered_set<std::string> queues_;
  std::unordered_set<std::string> accounts_;  // that were visited
  std::unordered_set<std::int64_t> kinds_;    // of which the queue is known
};

void Loader::load_queues() {
  std::unordered_map<std::string, std::vector<std::int64_t>> counts;
  Statement count(database_, "SELECT queue, state, count FROM counts JOIN kinds USING (kind)");
  for (Cursor row = count.query(); row.next();) {
    auto& of_queue = counts[std::string(row.text(0))];
    of_queue.resize(lifecycle::kJobStateCount);
    const JobState state = checked_enum<JobState>(database_, row.integer(1));
    of_queue[static_cast<std::size_t>(state)] += row.integer(2);
    all_ += row.integer(2);
    if (!is_terminal(state)) live_ += row.integer(2);
  }
  Statement queues(database_, "SELECT name, settings FROM queues ORDER BY name");
  for (Cursor row = queues.query(); row.next();) {
    StoredQueue queue;
    queue.name = row.text(0);
    ByteReader in(row.blob(1));
    queue.settings = read_settings_column(in, rows_.kept());
    if (!in.ok()) database_.fail(in.error("queue " + queue.name));
    queue.counts = std::move(counts[queue.name]);
    queue.counts.resize(lifecycle::kJobStateCount);
    queues_.insert(queue.name);
    visitor_.queue(std::move(queue));
  }
}

std::vector<std::int64_t> Loader::live_numbers() {
  std::vector<std::int64_t> numbers;
  numbers.reserve(static_cast<std::size_t>(std::max<std::int64_t>(live_, 0)));
  Statement standings(database_, "SELECT kind, state FROM counts WHERE count > 0");
  Statement find(database_,
                 "SELECT number FROM jobs INDEXED BY jobs_by_kind WHERE kind = ? AND state = ?");
  for (Cursor row = standings.query(); row.next();) {
    if (is_terminal(checked_enum<JobState>(database_, row.integer(1)))) continue;
    for (Cursor job = find.query(row.integer(0), row.integer(1)); job.next();)
      numbers.push_back(job.integer(0));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The Machine takes what it is given: what does not fit is found here.
void Loader::load_jobs() {
  last_number_ = meta_value(database_, "last_number");
  if (live_ != 0) visit_all();
  if (visited_ == live_) return;
  database_.fail("it counts " + std::to_string(live_) + " jobs that have not ended, and has " +
                 std::to_string(visited_));
}

void Loader::expect_known(const LiveJob& job, std::int64_t kind) {
  const auto expect = [&](bool holds, const char* what) {
    if (!holds) database_.fail("job " + std::to_string(job.number) + what);
  };
  expect(job.number <= last_number_, " comes after the last one");
  if (!kinds_.contains(kind)) {
    expect(queues_.contains(std::string(job.queue)), " is in a queue that is not there");
    kinds_.insert(kind);
  }
}

// Each is read when a job needs it first; the others are left for those who name them.
void Loader::visit_account(const LiveJob& job) {
  if (!needs_account(job.facts) || !accounts_.emplace(job.account).second) return;
  auto account = account_rows_.read(job.account);
  if (!account) {
    database_.fail("job " + std::to_string(job.number) + " has an account that is not there");
  }
  visitor_.account(std::move(*account));
}

void Loader::visit_all() {
  if (live_ * kScanWhenOneOf >= all_) {
    Statement scan(database_, kAllJobs);
    for (Cursor row = scan.query(); row.next();) {
      if (!is_terminal(checked_enum<JobState>(database_, row.integer(kState)))) visit(row);
    }
    return;
  }
  Statement find(database_, kOneJob);
  for (const std::int64_t number : live_numbers()) {
    Cursor row = find.query(number);
    if (row.next()) visit(row);
  }
}

void Loader::visit(const Cursor& row) {
  ++visited_;
  LiveJob job;
  job.number = row.integer(kNumber);
  const JobKind& kind = rows_.kinds().at(row.integer(kKind));
  job.queue = kind.queue;
  job.type = kind.type;
  job.ready = row.integer(kReady);
  job.id.uuid.bytes = rows_.sixteen(row.text(kId));
  job.account = row.text(kAccount);
  bool has_extras = false;
  job.facts =
      rows_.facts_of(job.number, Time{row.integer(kCreatedAt)}, row.blob(kFacts), &has_extras);
  if (static_cast<std::int64_t>(job.facts.state) != row.integer(kState)) {
    database_.fail("job " + std::to_string(job.number) + " is in two states");
  }
  expect_known(job, row.integer(kKind));
  visit_account(job);
  if (job.facts.attempt > 0) {
    // A checkpoint is no larger than the body that it is part of.
    Cursor body = body_size_.query(job.number);
    if (body.next()) job.checkpoint_bytes = body.integer(0);
  }
  job.key = rows_.key_of(row, kKey);
  if (!has_extras) return visitor_.job(job);
  StoredJob extras;
  rows_.read_extras(job.number, extras);
  if (!(extras.waits == Waits{})) job.waits = &extras.waits;
  if (extras.unique) job.unique = &*extras.unique;
  job.cancel_reason = extras.record.cancel_reason;
  if (!extras.record.staged.empty()) job.staged = &extras.record.staged;
  if (!extras.record.children.empty()) job.children = &extras.record.children;
  visitor_.job(job);
}

void Loader::load_keys(Time now) {
  Statement keys(database_,
                 "SELECT key, key_expires, key_payload, id, created_at FROM jobs "
                 "INDEXED BY jobs_by_key_end "
                 "WHERE key_expires > ? ORDER BY number");
  for (Cursor row = keys.query(now.ms); row.next();) {
    const std::optional<HeldKey> held = rows_.key_of(row, 0);
    const JobId job{rows_.sixteen(row.text(3))};
    visitor_.key({held->key, job, Time{row.integer(4)}, held->expires_at, held->payload});
  }
}

}  // namespace

void load_live(Database& database, JobRows& rows, Time now, const CatalogVisitor& visitor) {
  Loader loader(database, rows, visitor);
  loader.load_queues();
  loader.load_jobs();
  loader.load_keys(now);
}

}  // namespace baton::store::local
