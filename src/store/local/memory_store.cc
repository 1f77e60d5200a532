#include <memory>
#include <shared_mutex>

#include "base/assert.h"
#include "store/dependency_results.h"
#include "store/list_page.h"
#include "store/local/command_verbs.h"
#include "store/local/local_store.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

class MemoryStore final : public CommandVerbs {
 public:
  explicit MemoryStore(const LocalOptions& options)
      : terms_(options.functions),
        machine_(rows_, options.tuning, &terms_),
        thread_(
            watched(machine_, options), {*options.clock, {}}, random_of(options, 0),
            [this](Time, const std::vector<RowChange>& changes) { return keep(changes); },
            options.tuning) {}

  void claim(ClaimRequest request, Done<ClaimAnswer> done) override {
    // The Machine's thread completes, and it alone writes the rows.
    post<ClaimAnswer>(std::move(request),
                      [this, done = std::move(done)](Result<ClaimAnswer> answer) {
                        if (answer) bring_records(*answer);
                        done(std::move(answer));
                      });
  }
  void prune(Prune command, Done<Pruned> done) override { post(command, std::move(done)); }

  void entries(EntriesPage page, Done<std::vector<LedgerEntry>> done) override {
    if (const Status checked = check_limit(page.limit); !checked) {
      return done(checked.error());
    }
    std::shared_lock lock(rows_mutex_);
    auto found = rows_.entries(page);
    lock.unlock();
    done(std::move(found));
  }
  void get(JobId id, Done<std::shared_ptr<const JobRecord>> done) override {
    std::shared_lock lock(rows_mutex_);
    const auto found = rows_.find(id);
    const auto copy = found ? std::make_shared<const JobRecord>(*found) : nullptr;
    lock.unlock();
    if (!copy) return done(no_such_record());
    done(copy);
  }
  void list(ListJobs filter, Done<JobList> done) override {
    if (const Status checked = check_list(filter); !checked) {
      return done(checked.error());
    }
    std::shared_lock lock(rows_mutex_);
    JobList found = rows_.list(filter);
    for (auto& job : found.jobs)
      job = listed(*job, filter.with);
    lock.unlock();
    done(std::move(found));
  }

 private:
  MachineThread& thread() override { return thread_; }

  static Machine& watched(Machine& machine, const LocalOptions& options) {
    machine.watch_reads(options.reads);
    return machine;
  }

  Status keep(const std::vector<RowChange>& changes) {
    const std::unique_lock lock(rows_mutex_);
    rows_.apply(changes);
    return Ok{};
  }

  void bring_records(ClaimAnswer& answer) const {
    for (ClaimedJob& one : answer.executions)
      one.record = std::make_shared<const JobRecord>(*rows_.find(one.job));
    ResultRoom left = room_for_results(answer.executions);
    const DependencyLookUp look_up{
        [this](const JobId& id, std::size_t most) -> Result<DependencyResult> {
          const auto found = rows_.find(id);
          if (!found) return DependencyResult{.job = id};
          return dependency_result(id, found->facts, found->result ? &*found->result : nullptr,
                                   most);
        },
        [this](const JobId& id) { return rows_.children(id); },
        [this](const JobId& id) -> Result<JobId> {
          const auto found = rows_.find(id);
          return found ? found->redriven_to : JobId{};
        }};
    for (ClaimedJob& one : answer.executions) {
      const Status brought = bring_dependency_results(one, look_up, left);
      BATON_ASSERT(brought);  // what is in memory can be read
    }
  }

  std::shared_mutex rows_mutex_;  // the Machine's thread writes and reads, callers read
  Rows rows_;
  TermsTable terms_;
  Machine machine_;
  MachineThread thread_;
};

}  // namespace

base::Random random_of(const LocalOptions& options, std::uint64_t salt) {
  if (options.seed == 0) return base::Random::unpredictable();
  base::Random mix(options.seed ^ salt);
  return base::Random(mix.next());
}

std::unique_ptr<Store> open_memory_store(const LocalOptions& options) {
  BATON_ASSERT(options.clock != nullptr);
  return std::make_unique<MemoryStore>(options);
}

}  // namespace baton::store::local
