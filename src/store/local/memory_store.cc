#include <memory>
#include <shared_mutex>

#include "base/assert.h"
#include "lifecycle/limits.h"
#include "store/local/local_store.h"
#include "store/local/machine_thread.h"
#include "store/local/rows.h"

namespace baton::store::local {
namespace {

using base::Code;
using base::Error;

constexpr std::size_t kMaxList = 1000;

std::uint64_t seed_of(const LocalOptions& options) {
  std::uint64_t seed = options.seed;
  if (seed == 0) base::system_random(&seed, sizeof seed);
  return seed;
}

// Turns the Machine's answer into the one that the verb promises.
template <class Expected>
MachineThread::Complete give(Done<Expected> done) {
  return [done = std::move(done)](Answer answer) {
    if (auto* error = std::get_if<Error>(&answer)) {
      done(std::move(*error));
    } else {
      done(std::get<Expected>(std::move(answer)));
    }
  };
}

// Collects the answers of several commands, which complete one after the other on one thread.
struct WorkCollector {
  std::vector<base::Result<WorkAnswer>> results;
  std::size_t expected = 0;
  Done<std::vector<base::Result<WorkAnswer>>> done;

  void add(Answer answer) {
    if (auto* error = std::get_if<Error>(&answer)) {
      results.emplace_back(std::move(*error));
    } else {
      results.emplace_back(std::get<WorkAnswer>(std::move(answer)));
    }
    if (results.size() == expected) done(std::move(results));
  }
};

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(const LocalOptions& options)
      : machine_(rows_),
        thread_(machine_, *options.clock, seed_of(options),
                [this](const std::vector<RowChange>& changes) { keep(changes); }) {}

  void submit(SubmitBatch batch, Done<SubmitAnswer> done) override {
    thread_.post(std::move(batch), give(std::move(done)));
  }
  void claim(ClaimRequest request, Done<ClaimAnswer> done) override {
    // The Machine's thread completes, and it alone writes the rows.
    thread_.post(
        std::move(request),
        give<ClaimAnswer>([this, done = std::move(done)](base::Result<ClaimAnswer> answer) {
          if (answer) bring_records(*answer);
          done(std::move(answer));
        }));
  }
  void work(std::vector<WorkCall> calls,
            Done<std::vector<base::Result<WorkAnswer>>> done) override {
    if (calls.empty()) return done(std::vector<base::Result<WorkAnswer>>{});
    auto collector = std::make_shared<WorkCollector>();
    collector->expected = calls.size();
    collector->done = std::move(done);
    for (WorkCall& call : calls) {
      thread_.post(std::move(call),
                   [collector](Answer answer) { collector->add(std::move(answer)); });
    }
  }
  void cancel(CancelJob command, Done<JobAnswer> done) override {
    thread_.post(std::move(command), give(std::move(done)));
  }
  void reject(RejectJob command, Done<JobAnswer> done) override {
    thread_.post(std::move(command), give(std::move(done)));
  }
  void submit_draft(SubmitDraft command, Done<JobAnswer> done) override {
    thread_.post(command, give(std::move(done)));
  }
  void patch(PatchJob command, Done<JobAnswer> done) override {
    thread_.post(std::move(command), give(std::move(done)));
  }
  void redrive(RedriveJob command, Done<JobAnswer> done) override {
    thread_.post(command, give(std::move(done)));
  }
  void remove(DeleteJob command, Done<Deleted> done) override {
    thread_.post(command, give(std::move(done)));
  }
  void set_queue(QueueUpdate update, Done<QueueView> done) override {
    thread_.post(std::move(update), give(std::move(done)));
  }
  void get_queue(std::string name, Done<QueueView> done) override {
    thread_.post(GetQueue{std::move(name)}, give(std::move(done)));
  }
  void grant(GrantCredits command, Done<AccountRecord> done) override {
    thread_.post(std::move(command), give(std::move(done)));
  }
  void get_account(std::string id, Done<AccountRecord> done) override {
    thread_.post(GetAccount{std::move(id)}, give(std::move(done)));
  }
  void explain(JobId id, Done<Explanation> done) override {
    thread_.post(ExplainJob{id}, give(std::move(done)));
  }
  void stats(Done<Stats> done) override { thread_.post(GetStats{}, give(std::move(done))); }
  void run_timers(Done<TimersAnswer> done) override {
    thread_.post(RunTimers{}, give(std::move(done)));
  }
  void prune(Prune command, Done<PruneAnswer> done) override {
    thread_.post(command, give(std::move(done)));
  }

  void entries(std::string account, Done<std::vector<LedgerEntry>> done) override {
    std::shared_lock lock(rows_mutex_);
    auto found = rows_.entries(account);
    lock.unlock();
    done(std::move(found));
  }
  void get(JobId id, Done<std::shared_ptr<const JobRecord>> done) override {
    std::shared_lock lock(rows_mutex_);
    const auto found = rows_.find(id);
    const auto copy = found ? std::make_shared<const JobRecord>(*found) : nullptr;
    lock.unlock();
    if (!copy) return done(Error{Code::kNotFound, "there is no such job", {}, {}});
    done(copy);
  }
  void list(JobFilter filter, Done<JobList> done) override {
    if (filter.limit < 1 || filter.limit > kMaxList) {
      return done(Error{
          Code::kBadRequest, "limit must be from 1 to " + std::to_string(kMaxList), "limit", {}});
    }
    std::shared_lock lock(rows_mutex_);
    JobList found = rows_.list(filter);
    for (auto& job : found.jobs)
      job = std::make_shared<const JobRecord>(*job);
    lock.unlock();
    done(std::move(found));
  }

 private:
  void keep(const std::vector<RowChange>& changes) {
    const std::unique_lock lock(rows_mutex_);
    rows_.apply(changes);
  }

  void bring_records(ClaimAnswer& answer) const {
    for (Claimed& one : answer.executions)
      one.record = std::make_shared<const JobRecord>(*rows_.find(one.job));
  }

  std::shared_mutex rows_mutex_;  // the Machine's thread writes and reads, callers read
  Rows rows_;
  Machine machine_;
  MachineThread thread_;
};

}  // namespace

std::unique_ptr<Store> open_memory_store(const LocalOptions& options) {
  BATON_ASSERT(options.clock != nullptr);
  return std::make_unique<MemoryStore>(options);
}

}  // namespace baton::store::local
