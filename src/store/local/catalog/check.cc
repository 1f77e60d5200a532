#include "store/local/catalog/check.h"

#include <algorithm>
#include <map>

#include "store/local/catalog/account_rows.h"
#include "store/local/catalog/schema.h"

namespace baton::store::local {
namespace {

constexpr std::size_t kMostFaults = 100;

struct Orphans {
  const char* table;
  const char* sql;
};
constexpr Orphans kOrphans[] = {
    {"bodies", "SELECT count(*) FROM bodies WHERE number NOT IN (SELECT number FROM jobs)"},
    {"payloads", "SELECT count(*) FROM payloads WHERE number NOT IN (SELECT number FROM jobs)"},
    {"extras", "SELECT count(*) FROM extras WHERE number NOT IN (SELECT number FROM jobs)"},
    {"redrives", "SELECT count(*) FROM redrives WHERE number NOT IN (SELECT number FROM jobs)"},
    {"ids", "SELECT count(*) FROM ids WHERE number NOT IN (SELECT number FROM jobs)"},
    {"tags", "SELECT count(*) FROM tags WHERE number NOT IN (SELECT number FROM jobs)"},
};

class Checker {
 public:
  Checker(Database& database, JobRows& rows)
      : database_(database),
        rows_(rows),
        tag_(database, "SELECT 1 FROM tags WHERE name = ? AND value = ? AND number = ?") {}

  std::vector<std::string> run() {
    check_file();
    check_jobs();
    check_counts();
    check_orphans();
    check_accounts();
    return std::move(faults_);
  }

 private:
  bool enough() const { return faults_.size() >= kMostFaults; }
  void add(std::string fault) {
    if (!enough()) faults_.push_back(std::move(fault));
  }
  void expect(bool holds, std::int64_t number, const char* what) {
    if (!holds) add("job " + std::to_string(number) + ": " + what);
  }

  void check_file();
  void check_jobs();
  void check_job(const Cursor& row);
  void check_tags(const JobRecord& record);
  void check_counts();
  void check_orphans();
  void check_accounts();

  Database& database_;
  JobRows& rows_;
  Statement tag_;
  std::vector<std::string> faults_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> found_;  // by kind and state
  std::int64_t tags_ = 0;
  std::int64_t last_created_ = 0;
  bool in_order_ = true;
};

void Checker::check_file() {
  Statement check(database_, "PRAGMA integrity_check(100)");
  for (Cursor row = check.query(); row.next();) {
    if (row.text(0) != "ok") add("the file: " + std::string(row.text(0)));
  }
}

void Checker::check_jobs() {
  in_order_ = meta_value(database_, "created_in_order") != 0;
  Statement jobs(database_,
                 "SELECT number, kind, state, created_at, completed_at, account, correlation_id "
                 "FROM jobs ORDER BY number");
  std::int64_t number = 0;
  for (Cursor row = jobs.query(); row.next() && !enough();) {
    number = row.integer(0);
    try {
      check_job(row);
    } catch (const SqlFailure& failure) {
      expect(false, number, failure.error.message.c_str());
    }
  }
  if (number > meta_value(database_, "last_number")) add("a job has more than the last number");
  if (!enough() && database_.number("SELECT count(*) FROM tags") != tags_) {
    add("there are tags that no job has");
  }
}

void Checker::check_job(const Cursor& row) {
  const std::int64_t number = row.integer(0);
  const std::int64_t created_at = row.integer(3);
  ++found_[{row.integer(1), row.integer(2)}];
  expect(!in_order_ || created_at >= last_created_, number, "it is older than the one before it");
  last_created_ = std::max(last_created_, created_at);
  const std::optional<CatalogJob> read = rows_.read(number);
  if (!read) return add("job " + std::to_string(number) + " cannot be read");
  const JobRecord& record = read->job.record;
  const JobKind& kind = rows_.kinds().at(row.integer(1));
  expect(row.integer(2) == static_cast<int>(record.facts.state), number, "its states differ");
  expect(created_at == record.facts.created_at.ms, number, "its times of creation differ");
  expect(row.integer(4) == record.facts.completed_at.ms, number, "its times of ending differ");
  expect(row.text(5) == record.spec->account, number, "its accounts differ");
  expect(row.text(6) == record.labels.correlation_id, number, "its correlations differ");
  expect(kind.queue == record.spec->queue && kind.type == record.spec->type &&
             kind.profile == record.facts.terms->profile,
         number, "it is of another kind");
  expect(rows_.ids().find(record.id) == number, number, "its id leads elsewhere");
  check_tags(record);
}

void Checker::check_tags(const JobRecord& record) {
  auto tags = record.labels.tags;
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  tags_ += static_cast<std::int64_t>(tags.size());
  for (const auto& [name, value] : tags) {
    expect(tag_.query(name, value, record.number).next(), record.number, "a tag leads elsewhere");
  }
}

void Checker::check_counts() {
  if (enough()) return;
  Statement counts(database_, "SELECT kind, state, count FROM counts WHERE count != 0");
  for (Cursor row = counts.query(); row.next();) {
    std::int64_t& found = found_[{row.integer(0), row.integer(1)}];
    if (found != row.integer(2)) {
      add("kind " + std::to_string(row.integer(0)) + " counts " + std::to_string(row.integer(2)) +
          " jobs in state " + std::to_string(row.integer(1)) + " and has " + std::to_string(found));
    }
    found = 0;
  }
  for (const auto& [standing, found] : found_) {
    if (found != 0) add("kind " + std::to_string(standing.first) + " does not count its jobs");
  }
}

void Checker::check_orphans() {
  for (const Orphans& orphans : kOrphans) {
    const std::int64_t count = database_.number(orphans.sql);
    if (count == 0) continue;
    add(std::to_string(count) + " rows of " + orphans.table + " belong to no job");
  }
  const bool queueless =
      database_.number("SELECT count(*) FROM kinds WHERE queue NOT IN (SELECT name FROM queues)") !=
      0;
  if (queueless) add("there are jobs of a queue that does not exist");
}

void Checker::check_accounts() {
  Statement accounts(database_,
                     "SELECT id, entry_count, (SELECT count(*) FROM entries WHERE account = id), "
                     "coalesce((SELECT max(seq) FROM entries WHERE account = id), 0) "
                     "FROM accounts");
  AccountRows rows(database_);
  for (Cursor row = accounts.query(); row.next() && !enough();) {
    try {
      rows.read(row.text(0));
    } catch (const SqlFailure& failure) {
      add(failure.error.message);
    }
    if (row.integer(1) == row.integer(2) && row.integer(1) == row.integer(3)) continue;
    add("account " + std::string(row.text(0)) + " counts " + std::to_string(row.integer(1)) +
        " postings and has " + std::to_string(row.integer(2)));
  }
}

}  // namespace

std::vector<std::string> faults_of(Database& database, JobRows& rows) {
  return Checker(database, rows).run();
}

}  // namespace baton::store::local
