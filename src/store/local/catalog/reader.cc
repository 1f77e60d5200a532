#include "store/local/catalog/reader.h"

#include "store/local/catalog/account_rows.h"
#include "store/local/catalog/connection.h"
#include "store/local/catalog/job_lister.h"
#include "store/local/catalog/job_rows.h"
#include "store/local/catalog/list_sql.h"

namespace baton::store::local {
namespace {

class SqliteReader final : public CatalogReader {
 public:
  SqliteReader(std::shared_ptr<Database> database, TermsTable& terms, const Tuning& tuning,
               std::shared_ptr<LaterIds> later_ids)
      : database_(std::move(database)),
        rows_(*database_, terms, tuning, {std::move(later_ids)}),
        lister_(*database_, rows_),
        standings_(*database_, kStandingsAfterSql),
        ended_together_(*database_, kEndedTogetherSql),
        ended_(*database_, kEndedSql),
        accounts_(*database_),
        entries_(*database_, kEntriesSql),
        audit_(*database_, "SELECT action, job, account, at FROM audit ORDER BY seq") {}

  Result<std::optional<CatalogJob>> find(const JobId& id) override {
    return finding<CatalogJob>(id, [&](std::int64_t number) {
      auto job = rows_.read(number);
      if (job) check_id(number, job->job.record.id, id);
      return job;
    });
  }

  Result<std::optional<CatalogFacts>> facts(const JobId& id) override {
    return finding<CatalogFacts>(id, [&](std::int64_t number) {
      auto facts = rows_.read_facts(number);
      if (facts) check_id(number, facts->job.id, id);
      return facts;
    });
  }

  Result<std::optional<CatalogChildren>> children(const JobId& id) override {
    return finding<CatalogChildren>(
        id, [&](std::int64_t number) { return rows_.read_children(number); });
  }

  Result<std::optional<LeaseToken>> token(const JobId& id, int attempt) override {
    return finding<LeaseToken>(
        id, [&](std::int64_t number) { return rows_.read_token(number, attempt); });
  }

  Result<std::optional<CatalogResult>> result(const JobId& id, std::size_t most) override {
    return finding<CatalogResult>(
        id, [&](std::int64_t number) { return rows_.read_result(number, most); });
  }

  Result<std::vector<Standing>> standings(const Standing& after, std::size_t limit) override {
    return reading<std::vector<Standing>>([&] {
      std::vector<Standing> standings;
      for (Cursor row = standings_.query(after.kind, static_cast<int>(after.state),
                                         static_cast<std::int64_t>(limit));
           row.next();) {
        const auto state = checked_enum<JobState>(*database_, row.integer(1));
        standings.push_back(
            {row.integer(0), state, rows_.kinds().at(row.integer(0)).queue, row.integer(2)});
      }
      return standings;
    });
  }

  Result<std::vector<EndedJob>> ended(const Standing& standing, const EndedJob& after, Time until,
                                      std::size_t limit) override {
    return reading<std::vector<EndedJob>>([&] {
      const int state = static_cast<int>(standing.state);
      const auto left = [&](const auto& jobs) {
        return static_cast<std::int64_t>(limit - jobs.size());
      };
      std::vector<EndedJob> jobs;
      if (after.completed_at <= until) {
        take_ended(ended_together_.query(standing.kind, state, after.completed_at.ms, after.number,
                                         left(jobs)),
                   jobs);
      }
      if (left(jobs) > 0) {
        take_ended(ended_.query(standing.kind, state, after.completed_at.ms, until.ms, left(jobs)),
                   jobs);
      }
      return jobs;
    });
  }

  Result<std::optional<StoredAccount>> account(const std::string& id) override {
    return reading<std::optional<StoredAccount>>([&] { return accounts_.read(id); });
  }

  Result<bool> has_grant(const std::string& account, const std::string& key) override {
    return reading<bool>([&] { return accounts_.has_grant(account, key); });
  }

  Reads reads() const override { return {database_->read().rows, database_->read().bytes}; }

  Result<JobList> list(const ListJobs& filter) override {
    std::vector<std::int64_t> later;
    if (filter.id_prefix) {
      const auto prefix = IdPrefix::parse(*filter.id_prefix);
      if (!prefix) return prefix.error();
      later = rows_.ids().find_shared(*prefix);
    }
    return reading<JobList>([&] { return lister_.list(filter, later); });
  }

  Result<std::vector<LedgerEntry>> entries(const EntriesPage& page) override {
    return reading<std::vector<LedgerEntry>>([&] { return entries_of(page); });
  }

  Status together(const std::function<void()>& reads) override {
    return guarded<Ok>([&] {
      // What is in the map of later ids stays there while the transaction sees an older table.
      const auto kept = rows_.ids().keep_shared();
      Transaction transaction(*database_, Transaction::Kind::kRead);
      const Together together(together_);
      reads();
      transaction.commit();
      return Ok{};
    });
  }

  Result<std::vector<AuditRecord>> audit_log() override {
    return reading<std::vector<AuditRecord>>([&] {
      std::vector<AuditRecord> log;
      for (Cursor row = audit_.query(); row.next();) {
        JobId job;
        job.uuid.bytes = rows_.sixteen(row.text(1));
        log.push_back(
            {std::string(row.text(0)), job, std::string(row.text(2)), Time{row.integer(3)}});
      }
      return log;
    });
  }

  Status copy_to(const std::string& path) override {
    return guarded<Ok>([&] {
      copy_database(*database_, path);
      return Ok{};
    });
  }

 private:
  // While it lives, several reads are one look; also an exception ends that.
  struct Together {
    explicit Together(bool& flag) : flag_(flag) { flag_ = true; }
    ~Together() { flag_ = false; }
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;
    bool& flag_;
  };

  // One look at the catalog as it is at one moment.
  template <class T, class Body>
  Result<T> reading(Body body) {
    return guarded<T>([&]() -> T {
      if (together_) return body();
      Transaction transaction(*database_, Transaction::Kind::kRead);
      T read = body();
      transaction.commit();
      return read;
    });
  }

  // A part of one job. Jobs that the table of ids may lack are looked for before the transaction
  // begins: what the writer takes from there meanwhile is in the table that the transaction sees.
  template <class T, class Read>
  Result<std::optional<T>> finding(const JobId& id, Read read) {
    const std::optional<std::int64_t> later = rows_.ids().find_shared(id);
    return reading<std::optional<T>>([&]() -> std::optional<T> {
      const auto number = later ? later : rows_.ids().find(id);
      if (!number) return std::nullopt;
      return read(*number);
    });
  }

  void check_id(std::int64_t number, const JobId& found, const JobId& wanted) {
    if (found == wanted) return;
    rows_.fail("the id of job " + std::to_string(number) + " is another one");
  }

  void take_ended(Cursor row, std::vector<EndedJob>& jobs) {
    while (row.next()) {
      EndedJob job;
      job.completed_at = Time{row.integer(0)};
      job.number = row.integer(1);
      job.id.uuid.bytes = rows_.sixteen(row.text(2));
      job.key = rows_.key_of(row, 3);
      jobs.push_back(job);
    }
  }

  std::vector<LedgerEntry> entries_of(const EntriesPage& page) {
    std::vector<LedgerEntry> entries;
    const auto limit = static_cast<std::int64_t>(page.limit);
    for (Cursor row = entries_.query(page.account, page.after, limit); row.next();) {
      LedgerEntry entry;
      entry.seq = row.integer(0);
      entry.kind = checked_enum<PostingKind>(*database_, row.integer(1));
      entry.amount = row.integer(2);
      if (!row.is_null(3)) entry.job.uuid.bytes = rows_.sixteen(row.text(3));
      entry.at = Time{row.integer(4)};
      entry.after = {row.integer(5), row.integer(6), row.integer(7), row.integer(8)};
      entries.push_back(entry);
    }
    return entries;
  }

  std::shared_ptr<Database> database_;
  JobRows rows_;
  JobLister lister_;
  Statement standings_;
  Statement ended_together_;
  Statement ended_;
  AccountRows accounts_;
  Statement entries_;
  Statement audit_;
  bool together_ = false;  // a transaction of several reads is open
};

}  // namespace

std::unique_ptr<CatalogReader> make_reader(std::shared_ptr<Database> database, TermsTable& terms,
                                           const Tuning& tuning,
                                           std::shared_ptr<LaterIds> later_ids) {
  return std::make_unique<SqliteReader>(std::move(database), terms, tuning, std::move(later_ids));
}

Result<std::unique_ptr<CatalogReader>> CatalogReader::open(const CatalogOptions& options,
                                                           TermsTable& terms) {
  return guarded<std::unique_ptr<CatalogReader>>(
      [&] { return make_reader(open_to_read(options), terms, options.tuning, options.later_ids); });
}

}  // namespace baton::store::local
