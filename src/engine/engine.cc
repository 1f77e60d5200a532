// The verbs of Engine that read and operate: each turns its command into the store's, and the
// answer back. Submissions are in submitting.cc, the worker's calls in working.cc.
#include "baton/engine.h"

#include <charconv>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "engine/explain.h"
#include "engine/impl.h"
#include "store/show.h"

namespace baton {
namespace engine {
namespace {

using Record = std::shared_ptr<const store::JobRecord>;

// Reads that give a record, of which `part` makes the answer.
template <class Answer, class Part>
store::Done<Record> give_part(Completion<Answer> done, Part part) {
  return [done = std::move(done), part](Result<Record> answer) {
    if (!answer) return done(answer.error());
    done(part(*answer));
  };
}

Job whole_job(const Record& record) { return store::show(record); }

std::vector<HistoryEntry> history_of(const Record& record) { return record->history; }

std::vector<Execution> executions_of(const Record& record) {
  std::vector<Execution> executions;
  executions.reserve(record->executions.size());
  for (const store::ExecutionRecord& execution : record->executions)
    executions.push_back(store::show(record->id, execution));
  return executions;
}

Waited waited_for(const Record& record) {
  Job job = store::show(record);
  const bool ended = job.ended();
  return {.job = std::move(job), .timed_out = !ended};
}

template <class Answer>
Pending<Answer> read(RunningStore& running, const JobId& id, Answer (*part)(const Record&)) {
  return Pending<Answer>::begun([&](Completion<Answer> done) {
    running.store().get(id, give_part<Answer>(std::move(done), part));
  });
}

// A store may share a submission with its record rather than copy it without its payload.
Job listed_job(const Record& record) {
  Job job = store::show(record);
  if (job.spec->payload.empty()) return job;
  auto bare = std::make_shared<Submission>(*job.spec);
  bare->payload.clear();
  job.spec = std::move(bare);
  return job;
}

JobPage page_of(const store::JobList& list) {
  JobPage page;
  page.jobs.reserve(list.jobs.size());
  for (const Record& record : list.jobs)
    page.jobs.push_back(listed_job(record));
  if (list.next_before_number != 0) page.next_cursor = std::to_string(list.next_before_number);
  return page;
}

std::optional<std::int64_t> parse_cursor(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end || number < 1) return std::nullopt;
  return number;
}

Pending<JobPage> list(RunningStore& running, JobFilter filter) {
  return Pending<JobPage>::begun([&](Completion<JobPage> done) {
    store::ListJobs query;
    static_cast<JobFilter&>(query) = std::move(filter);
    if (!query.cursor.empty()) {
      const auto number = parse_cursor(query.cursor);
      if (!number) return done(Error{Code::kBadRequest, "no list gave this cursor", "cursor", {}});
      query.before_number = *number;
    }
    running.store().list(std::move(query), [done = std::move(done)](Result<store::JobList> list) {
      done(list ? Result<JobPage>(page_of(*list)) : list.error());
    });
  });
}

// A change of one job is answered with the job as a reader finds it right afterwards.
template <class Command>
Pending<Job> change(RunningStore& running,
                    void (store::Store::*verb)(Command, store::Done<store::JobAnswer>),
                    std::type_identity_t<Command> command) {
  return Pending<Job>::begun([&](Completion<Job> done) {
    (running.store().*verb)(std::move(command), [&running, done = std::move(done)](
                                                    const Result<store::JobAnswer>& answer) {
      if (!answer) return done(answer.error());
      running.store().get(answer->id, give_part<Job>(done, &whole_job));
    });
  });
}

store::Done<store::Deleted> when_deleted(Completion<Ok> done) {
  return [done = std::move(done)](const Result<store::Deleted>& answer) {
    if (!answer) return done(answer.error());
    done(Ok{});
  };
}

// Commands whose answer is the program's as it is.
template <class Answer, class Command>
Pending<Answer> ask(RunningStore& running, void (store::Store::*verb)(Command, store::Done<Answer>),
                    std::type_identity_t<Command> command) {
  return Pending<Answer>::begun([&](Completion<Answer> done) {
    (running.store().*verb)(std::move(command), std::move(done));
  });
}

// Reads a ledger page after page.
struct Ledger {
  store::Store& store;
  store::EntriesPage page;
  Completion<std::vector<LedgerEntry>> done;
  std::vector<LedgerEntry> all;
};

void read_on(const std::shared_ptr<Ledger>& ledger) {
  ledger->store.entries(ledger->page, [ledger](Result<std::vector<LedgerEntry>> page) {
    if (!page) return ledger->done(page.error());
    ledger->all.insert(ledger->all.end(), page->begin(), page->end());
    if (page->size() < ledger->page.limit) return ledger->done(std::move(ledger->all));
    ledger->page.after = page->back().seq;
    read_on(ledger);
  });
}

// Reads the queues page after page.
struct AllStats {
  store::Store& store;
  Completion<Stats> done;
  Stats all;
};

void read_on(const std::shared_ptr<AllStats>& stats, std::string after) {
  stats->store.stats({.after = std::move(after)}, [stats](Result<Stats> page) {
    if (!page) return stats->done(page.error());
    std::vector<Queue>& all = stats->all.queues;
    std::move(page->queues.begin(), page->queues.end(), std::back_inserter(all));
    stats->all.live_jobs = page->live_jobs;
    stats->all.counts = page->counts;
    if (page->more) return read_on(stats, all.back().name);
    stats->done(std::move(stats->all));
  });
}

void read_stats(RunningStore& running, Completion<Stats> done) {
  read_on(std::make_shared<AllStats>(AllStats{running.store(), std::move(done), {}}), {});
}

}  // namespace
}  // namespace engine

using engine::ask;
using engine::change;
using store::Store;

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

// ---- Reading ----------------------------------------------------------------------------------

Pending<Job> Engine::get(const JobId& id) {
  return engine::read<Job>(impl_->running, id, &engine::whole_job);
}

Pending<Waited> Engine::wait(const JobId& id, Duration timeout) {
  return Pending<Waited>::begun([&](Completion<Waited> done) {
    engine::RunningStore& running = impl_->running;
    running.waits().wait(
        id, timeout, [&running, done = std::move(done)](Result<engine::Record> answer) {
          const bool early = answer && !is_terminal((*answer)->facts.state);
          if (early && running.closed())
            return done(Error{.code = Code::kShuttingDown, .message = "the engine is closing"});
          engine::give_part<Waited>(done, &engine::waited_for)(std::move(answer));
        });
  });
}

Pending<std::vector<HistoryEntry>> Engine::history(const JobId& id) {
  return engine::read(impl_->running, id, &engine::history_of);
}

Pending<std::vector<Execution>> Engine::executions(const JobId& id) {
  return engine::read(impl_->running, id, &engine::executions_of);
}

Pending<Explanation> Engine::explain(const JobId& id) {
  engine::RunningStore& running = impl_->running;
  return Pending<Explanation>::begun([&](Completion<Explanation> done) {
    engine::explain(running.store(), running.workers(), id, std::move(done));
  });
}

Pending<JobPage> Engine::list(JobFilter filter) {
  return engine::list(impl_->running, std::move(filter));
}

Pending<JobPage> Engine::dead_letters(JobFilter filter) {
  if (filter.canonical_state || filter.state) {
    return Pending<JobPage>::begun([](const Completion<JobPage>& done) {
      done(Error{Code::kBadRequest, "dead letters have only one state", "state", {}});
    });
  }
  filter.canonical_state = JobState::kDeadLetter;
  if (!filter.redriven) filter.redriven = Redriven::kNone;
  return engine::list(impl_->running, std::move(filter));
}

Pending<Stats> Engine::stats() {
  return Pending<Stats>::begun(
      [&](Completion<Stats> done) { engine::read_stats(impl_->running, std::move(done)); });
}

// ---- Operating on one job ---------------------------------------------------------------------

Pending<Job> Engine::cancel(CancelJob command) {
  return change(impl_->running, &Store::cancel, std::move(command));
}

Pending<Job> Engine::reject(RejectJob command) {
  return change(impl_->running, &Store::reject, std::move(command));
}

Pending<Job> Engine::submit_draft(const JobId& id) {
  return change(impl_->running, &Store::submit_draft, {id});
}

Pending<Job> Engine::patch(PatchJob command) {
  return change(impl_->running, &Store::patch, std::move(command));
}

Pending<Job> Engine::redrive(RedriveJob command) {
  return change(impl_->running, &Store::redrive, command);
}

Pending<Ok> Engine::remove(const JobId& id) {
  return Pending<Ok>::begun([&](Completion<Ok> done) {
    impl_->running.store().remove({id}, engine::when_deleted(std::move(done)));
  });
}

// ---- Queues and accounts ----------------------------------------------------------------------

Pending<std::vector<SeenWorker>> Engine::workers() {
  using Workers = std::vector<SeenWorker>;
  return Pending<Workers>::begun([&](const Completion<Workers>& done) {
    Workers all;
    engine::WorkerRegistry::Page page;
    do {
      page = impl_->running.workers().list(all.empty() ? "" : all.back().name, kMaxBatch);
      std::move(page.workers.begin(), page.workers.end(), std::back_inserter(all));
    } while (page.more);
    done(std::move(all));
  });
}

Pending<std::vector<Queue>> Engine::queues() {
  using Queues = std::vector<Queue>;
  return Pending<Queues>::begun([&](Completion<Queues> done) {
    engine::read_stats(impl_->running, [done = std::move(done)](Result<Stats> stats) {
      if (!stats) return done(stats.error());
      done(std::move(stats->queues));
    });
  });
}

Pending<Queue> Engine::set_queue(QueueUpdate update) {
  return ask(impl_->running, &Store::set_queue, std::move(update));
}

Pending<Ok> Engine::remove_queue(std::string name) {
  return Pending<Ok>::begun([&](Completion<Ok> done) {
    impl_->running.store().remove_queue(std::move(name), engine::when_deleted(std::move(done)));
  });
}

Pending<Queue> Engine::get_queue(std::string name) {
  return ask(impl_->running, &Store::get_queue, std::move(name));
}

Pending<Queue> Engine::pause(std::string queue) {
  return set_queue({.name = std::move(queue), .paused = true, .make = false});
}

Pending<Queue> Engine::resume(std::string queue) {
  return set_queue({.name = std::move(queue), .paused = false, .draining = false, .make = false});
}

Pending<Queue> Engine::drain(std::string queue) {
  return set_queue({.name = std::move(queue), .draining = true, .make = false});
}

Pending<Account> Engine::grant(GrantCredits command) {
  return ask(impl_->running, &Store::grant, std::move(command));
}

Pending<Account> Engine::get_account(std::string id) {
  return ask(impl_->running, &Store::get_account, std::move(id));
}

Pending<std::vector<LedgerEntry>> Engine::entries(std::string account) {
  using engine::Ledger;
  return Pending<std::vector<LedgerEntry>>::begun([&](auto done) {
    engine::read_on(std::make_shared<Ledger>(
        Ledger{impl_->running.store(), {.account = std::move(account)}, std::move(done), {}}));
  });
}

}  // namespace baton
