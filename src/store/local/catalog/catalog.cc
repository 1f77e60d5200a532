#include "store/local/catalog/catalog.h"

#include <algorithm>

#include "store/local/catalog/check.h"
#include "store/local/catalog/connection.h"
#include "store/local/catalog/job_writer.h"
#include "store/local/catalog/ledger_writer.h"
#include "store/local/catalog/load.h"
#include "store/local/catalog/reader.h"
#include "store/local/catalog/schema.h"

namespace baton::store::local {
namespace {

class SqliteCatalog final : public Catalog {
 public:
  SqliteCatalog(const CatalogOptions& options, TermsTable& terms)
      : database_(open_to_write(options)),
        rest_(options.rest),
        kept_(terms),
        tuning_(options.tuning),
        rows_(*database_, terms, options.tuning,
              {options.later_ids, options.later_ids != nullptr, options.tuning.ids_least_behind}),
        jobs_(*database_, rows_),
        ledger_(*database_),
        put_redrive_(*database_,
                     "INSERT OR REPLACE INTO redrives(number, version, job) VALUES (?, ?, ?)"),
        remove_queue_(*database_, "DELETE FROM queues WHERE name = ?"),
        put_queue_(*database_, "INSERT OR REPLACE INTO queues(name, settings) VALUES (?, ?)"),
        add_audit_(*database_, "INSERT INTO audit(action, job, account, at) VALUES (?, ?, ?, ?)"),
        set_meta_(*database_, "UPDATE meta SET value = ?2 WHERE name = ?1"),
        page_bytes_(database_->number("PRAGMA page_size")) {
    read_meta();
    sqlite3_wal_hook(database_->handle(), remember_wal, &wal_pages_);
  }

  std::uint64_t applied_turn() const override { return applied_turn_; }
  Time applied_time() const override { return applied_time_; }
  std::int64_t last_number() const override { return last_number_; }

  std::uint64_t store_id() const override { return store_id_; }

  Status set_store_id(std::uint64_t id) override {
    return guarded<Ok>([&] {
      set_meta_.run(std::string_view("store_id"), static_cast<std::int64_t>(id));
      store_id_ = id;
      return Ok{};
    });
  }

  void note_log_turn(std::uint64_t turn) override { log_turn_ = turn; }

  Status apply(std::span<const std::shared_ptr<const TurnChanges>> turns) override {
    auto applied = guarded<Ok>([&] {
      rows_.ids().catch_up(last_number_);
      if (wal_pages_ * page_bytes_ > tuning_.wal_bytes) finish_wal();
      apply_all(turns);
      return Ok{};
    });
    if (!applied) start_over();
    return applied;
  }

  Status load(Time now, const CatalogVisitor& visitor) override {
    return guarded<Ok>([&] {
      load_live(*database_, rows_, now, visitor);
      return Ok{};
    });
  }

  Result<std::vector<std::string>> check() override {
    return guarded<std::vector<std::string>>([&] { return faults_of(*database_, rows_); });
  }

  Status checkpoint() override {
    return guarded<Ok>([&] {
      finish_wal();
      return Ok{};
    });
  }

  std::int64_t pages_at_checkpoint() const override { return pages_at_checkpoint_; }

  Result<std::unique_ptr<CatalogReader>> reader() override {
    return guarded<std::unique_ptr<CatalogReader>>(
        [&] { return make_reader(database_, kept_, tuning_); });
  }

 private:
  static int remember_wal(void* pages, sqlite3*, const char*, int count) {
    *static_cast<std::int64_t*>(pages) = count;
    return SQLITE_OK;
  }

  void read_meta() {
    applied_turn_ = static_cast<std::uint64_t>(meta_value(*database_, "applied_turn"));
    applied_time_ = Time{meta_value(*database_, "applied_time")};
    last_number_ = meta_value(*database_, "last_number");
    created_in_order_ = meta_value(*database_, "created_in_order") != 0;
    store_id_ = static_cast<std::uint64_t>(meta_value(*database_, "store_id"));
    log_turn_ = static_cast<std::uint64_t>(meta_value(*database_, "log_turn"));
    last_created_ = database_->number("SELECT created_at FROM jobs ORDER BY number DESC LIMIT 1");
  }

  // Nothing that a transaction without an end left behind is believed.
  void start_over() {
    rows_.forget();
    ledger_.forget();
  }

  void apply_all(std::span<const std::shared_ptr<const TurnChanges>> turns) {
    if (turns.empty()) return;
    Transaction transaction(*database_, Transaction::Kind::kWrite);
    JobBatch batch(rows_);
    std::uint64_t turn = applied_turn_;
    for (const auto& one : turns) {
      if (one->turn <= turn) {
        database_->refuse("turn " + std::to_string(one->turn) + " comes after turn " +
                          std::to_string(turn));
      }
      turn = one->turn;
      for (const RowChange& change : one->changes)
        take(batch, turn, change);
    }
    const std::vector<TouchedJob*> touched = batch.jobs();
    jobs_.write(touched);
    ledger_.write();
    const std::int64_t last_number = std::max(last_number_, batch.last_number());
    const Created created = created_after(touched);
    write_meta(turn, turns.back()->at, last_number, created.in_order);
    transaction.commit();
    rows_.ids().committed();
    applied_turn_ = turn;
    applied_time_ = turns.back()->at;
    last_number_ = last_number;
    last_created_ = created.last;
    created_in_order_ = created.in_order;
  }

  void take(JobBatch& batch, std::uint64_t turn, const RowChange& change) {
    if (const auto* queue = std::get_if<QueueChange>(&change)) {
      const std::string settings = settings_column(queue->settings);
      put_queue_.run(queue->name, Blob{settings});
    } else if (const auto* account = std::get_if<AccountChange>(&change)) {
      ledger_.add(*account);
    } else if (const auto* audit = std::get_if<AuditRecord>(&change)) {
      add_audit_.run(audit->action, Blob{bytes_of(audit->job)}, audit->account, audit->at.ms);
    } else if (const auto* job = std::get_if<JobChange>(&change)) {
      batch.apply(turn, *job);
    } else if (const auto* gone = std::get_if<JobGone>(&change)) {
      batch.apply(turn, *gone);
    } else if (const auto* redriven = std::get_if<JobRedriven>(&change)) {
      put_redrive_.run(redriven->number, redriven->version, Blob{bytes_of(redriven->to)});
    } else if (const auto* queue_gone = std::get_if<QueueGone>(&change)) {
      remove_queue_.run(queue_gone->name);
    } else {
      batch.apply(turn, std::get<WaitOver>(change));
    }
  }

  // Lists by time look for the first and the last number, which is right while no job was made
  // earlier than the one before it. A clock that was set back ends that for good.
  struct Created {
    std::int64_t last = 0;
    bool in_order = true;
  };
  Created created_after(const std::vector<TouchedJob*>& touched) const {
    Created created{last_created_, created_in_order_};
    for (const TouchedJob* job : touched) {
      if (job->before || job->gone) continue;
      const std::int64_t at = job->job.record.facts.created_at.ms;
      if (at < created.last) created.in_order = false;
      created.last = std::max(created.last, at);
    }
    return created;
  }

  void write_meta(std::uint64_t turn, Time at, std::int64_t last_number, bool in_order) {
    const auto put = [this](std::string_view name, std::int64_t value) {
      set_meta_.run(name, value);
    };
    put("applied_turn", static_cast<std::int64_t>(turn));
    put("applied_time", at.ms);
    put("log_turn", static_cast<std::int64_t>(log_turn_));
    if (last_number != last_number_) put("last_number", last_number);
    if (in_order != created_in_order_) put("created_in_order", in_order ? 1 : 0);
  }

  void finish_wal() {
    tell_rest(false);
    keep_wal_when_closed(*database_, true);
    if (!restart_wal(*database_, pages_at_checkpoint_)) return;
    wal_pages_ = 0;
    tell_rest(true);
    keep_wal_when_closed(*database_, false);
  }

  void tell_rest(bool done) const {
    if (!rest_) return;
    if (const auto told = rest_(applied_turn_, done); !told) throw SqlFailure{told.error()};
  }

  std::shared_ptr<Database> database_;
  std::function<Status(std::uint64_t, bool)> rest_;
  TermsTable& kept_;
  const Tuning tuning_;
  JobRows rows_;
  JobWriter jobs_;
  LedgerWriter ledger_;
  Statement put_redrive_;
  Statement remove_queue_;
  Statement put_queue_;
  Statement add_audit_;
  Statement set_meta_;
  std::int64_t page_bytes_;
  std::int64_t wal_pages_ = 0;
  std::uint64_t applied_turn_ = 0;
  Time applied_time_;
  std::uint64_t store_id_ = 0;
  std::uint64_t log_turn_ = 0;
  std::int64_t pages_at_checkpoint_ = 0;
  std::int64_t last_number_ = 0;
  std::int64_t last_created_ = 0;
  bool created_in_order_ = true;
};

}  // namespace

Result<std::unique_ptr<Catalog>> Catalog::open(const CatalogOptions& options, TermsTable& terms) {
  return guarded<std::unique_ptr<Catalog>>([&]() -> std::unique_ptr<Catalog> {
    return std::make_unique<SqliteCatalog>(options, terms);
  });
}

}  // namespace baton::store::local
