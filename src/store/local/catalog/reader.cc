#include "store/local/catalog/reader.h"

#include <algorithm>

#include "store/local/catalog/connection.h"
#include "store/local/catalog/job_lister.h"
#include "store/local/catalog/job_rows.h"
#include "store/local/catalog/list_sql.h"

namespace baton::store::local {
namespace {

using lifecycle::JobState;

class SqliteReader final : public CatalogReader {
 public:
  SqliteReader(std::shared_ptr<Database> database, KeptTerms& terms)
      : database_(std::move(database)),
        rows_(*database_, terms),
        lister_(*database_, rows_),
        standings_(*database_,
                   "SELECT kind, state FROM kinds JOIN counts USING (kind) "
                   "WHERE queue = ? AND count > 0"),
        ended_(*database_, kEndedSql),
        entries_(*database_, kEntriesSql),
        audit_(*database_, "SELECT action, job, account, at FROM audit ORDER BY seq") {}

  base::Result<std::optional<CatalogJob>> find(const JobId& id) override {
    return reading<std::optional<CatalogJob>>([&]() -> std::optional<CatalogJob> {
      const auto number = rows_.ids().find(id);
      if (!number) return std::nullopt;
      auto job = rows_.read(*number);
      if (job && job->job.record.id != id) {
        rows_.fail("the id of job " + std::to_string(*number) + " is another one");
      }
      return job;
    });
  }

  base::Result<std::vector<FinishedRef>> finished(const std::string& queue, bool completed,
                                                  Time until, std::size_t limit) override {
    return reading<std::vector<FinishedRef>>(
        [&] { return ended_jobs(queue, completed, until, limit); });
  }

  base::Result<JobList> list(const JobFilter& filter) override {
    return reading<JobList>([&] { return lister_.list(filter); });
  }

  base::Result<std::vector<LedgerEntry>> entries(const EntriesPage& page) override {
    return reading<std::vector<LedgerEntry>>([&] { return entries_of(page); });
  }

  base::Status together(const std::function<void()>& reads) override {
    return guarded<base::Ok>([&] {
      Transaction transaction(*database_, Transaction::Kind::kRead);
      together_ = true;
      reads();
      together_ = false;
      transaction.commit();
      return base::Ok{};
    });
  }

  base::Result<std::vector<AuditRecord>> audit_log() override {
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

  base::Status copy_to(const std::string& path) override {
    return guarded<base::Ok>([&] {
      copy_database(*database_, path);
      return base::Ok{};
    });
  }

 private:
  // One look at the catalog as it is at one moment.
  template <class T, class Body>
  base::Result<T> reading(Body body) {
    return guarded<T>([&]() -> T {
      if (together_) return body();
      Transaction transaction(*database_, Transaction::Kind::kRead);
      T read = body();
      transaction.commit();
      return read;
    });
  }

  std::vector<FinishedRef> ended_jobs(const std::string& queue, bool completed, Time until,
                                      std::size_t limit) {
    struct Ended {
      Time at;
      std::int64_t number = 0;
      JobId id;
    };
    std::vector<Ended> ended;
    for (Cursor row = standings_.query(queue); row.next();) {
      const auto state = checked_enum<JobState>(*database_, row.integer(1));
      if (!lifecycle::is_terminal(state) || completed != (state == JobState::kCompleted)) continue;
      for (Cursor job = ended_.query(row.integer(0), row.integer(1), until.ms,
                                     static_cast<std::int64_t>(limit));
           job.next();) {
        JobId id;
        id.uuid.bytes = rows_.sixteen(job.text(2));
        ended.push_back({Time{job.integer(0)}, job.integer(1), id});
      }
    }
    std::sort(ended.begin(), ended.end(), [](const Ended& a, const Ended& b) {
      return std::pair(a.at, a.number) < std::pair(b.at, b.number);
    });
    ended.resize(std::min(ended.size(), limit));
    std::vector<FinishedRef> refs;
    refs.reserve(ended.size());
    for (const Ended& one : ended)
      refs.push_back({one.id, one.at});
    return refs;
  }

  std::vector<LedgerEntry> entries_of(const EntriesPage& page) {
    std::vector<LedgerEntry> entries;
    const auto limit = static_cast<std::int64_t>(page.limit);
    for (Cursor row = entries_.query(page.account, page.after, limit); row.next();) {
      LedgerEntry entry;
      entry.seq = row.integer(0);
      entry.kind = checked_enum<lifecycle::PostingKind>(*database_, row.integer(1));
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
  Statement ended_;
  Statement entries_;
  Statement audit_;
  bool together_ = false;  // a transaction of several reads is open
};

}  // namespace

std::unique_ptr<CatalogReader> make_reader(std::shared_ptr<Database> database, KeptTerms& terms) {
  return std::make_unique<SqliteReader>(std::move(database), terms);
}

base::Result<std::unique_ptr<CatalogReader>> CatalogReader::open(const CatalogOptions& options,
                                                                 KeptTerms& terms) {
  return guarded<std::unique_ptr<CatalogReader>>(
      [&] { return make_reader(open_to_read(options), terms); });
}

}  // namespace baton::store::local
