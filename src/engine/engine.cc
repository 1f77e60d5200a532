// The verbs of Engine that read and operate: each turns its command into the store's, and the
// answer back. Submissions are in submitting.cc, the worker's calls in working.cc.
#include "baton/engine.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "engine/blocking.h"
#include "engine/impl.h"
#include "store/show.h"

namespace baton {
namespace engine {
namespace {

// Answers of the store that the program takes as they are.
template <class Answer>
store::Done<Answer> give(Completion<Answer> done) {
  return [done = std::move(done)](Result<Answer> answer) { complete(done, std::move(answer)); };
}

using Record = std::shared_ptr<const store::JobRecord>;

// Reads that give a record, of which `part` makes the answer.
template <class Answer, class Part>
store::Done<Record> give_part(Completion<Answer> done, Part part) {
  return [done = std::move(done), part](Result<Record> answer) {
    if (!answer) return complete<Answer>(done, answer.error());
    complete<Answer>(done, part(*answer));
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

// A change of one job is answered with the job as a reader finds it right afterwards.
store::Done<store::JobAnswer> give_job(RunningStore& running, Completion<Job> done) {
  return [&running, done = std::move(done)](Result<store::JobAnswer> answer) {
    if (!answer) return complete<Job>(done, answer.error());
    running.store().get(answer->id, give_part<Job>(done, &whole_job));
  };
}

}  // namespace

void blocked_in_completion() {
  std::fputs("baton: a blocking call was made inside a completion; use the _async one there\n",
             stderr);
  std::abort();
}

}  // namespace engine

using engine::await;
using engine::complete;
using engine::give;
using engine::give_job;
using engine::give_part;

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

// ---- Reading ----------------------------------------------------------------------------------

void Engine::get_async(const JobId& id, Completion<Job> done) {
  impl_->running.store().get(id, give_part<Job>(std::move(done), &engine::whole_job));
}

Result<Job> Engine::get(const JobId& id) {
  return await<Job>([&](auto done) { get_async(id, std::move(done)); });
}

void Engine::wait_async(const JobId& id, Duration timeout, Completion<Job> done) {
  impl_->running.waits().wait(
      id, timeout,
      [running = &impl_->running, done = std::move(done)](Result<engine::Record> answer) {
        const bool early = answer && !is_terminal((*answer)->facts.state);
        if (early && running->closed()) {
          return complete<Job>(
              done, Error{.code = Code::kShuttingDown, .message = "the engine is closing"});
        }
        give_part<Job>(done, &engine::whole_job)(std::move(answer));
      });
}

Result<Job> Engine::wait(const JobId& id, Duration timeout) {
  return await<Job>([&](auto done) { wait_async(id, timeout, std::move(done)); });
}

void Engine::history_async(const JobId& id, Completion<std::vector<HistoryEntry>> done) {
  using History = std::vector<HistoryEntry>;
  impl_->running.store().get(id, give_part<History>(std::move(done), &engine::history_of));
}

Result<std::vector<HistoryEntry>> Engine::history(const JobId& id) {
  return await<std::vector<HistoryEntry>>([&](auto done) { history_async(id, std::move(done)); });
}

void Engine::executions_async(const JobId& id, Completion<std::vector<Execution>> done) {
  using Executions = std::vector<Execution>;
  impl_->running.store().get(id, give_part<Executions>(std::move(done), &engine::executions_of));
}

Result<std::vector<Execution>> Engine::executions(const JobId& id) {
  return await<std::vector<Execution>>([&](auto done) { executions_async(id, std::move(done)); });
}

void Engine::explain_async(const JobId& id, Completion<Explanation> done) {
  impl_->running.store().explain(id, give<Explanation>(std::move(done)));
}

Result<Explanation> Engine::explain(const JobId& id) {
  return await<Explanation>([&](auto done) { explain_async(id, std::move(done)); });
}

void Engine::list_async(JobFilter filter, Completion<JobPage> done) {
  store::ListJobs query;
  static_cast<JobFilter&>(query) = std::move(filter);
  if (!query.cursor.empty()) {
    const auto number = engine::parse_cursor(query.cursor);
    if (!number) {
      return complete<JobPage>(done,
                               Error{Code::kBadRequest, "no list gave this cursor", "cursor", {}});
    }
    query.before_number = *number;
  }
  impl_->running.store().list(
      std::move(query), [done = std::move(done)](Result<store::JobList> list) {
        complete<JobPage>(done, list ? Result<JobPage>(engine::page_of(*list)) : list.error());
      });
}

Result<JobPage> Engine::list(JobFilter filter) {
  return await<JobPage>([&](auto done) { list_async(std::move(filter), std::move(done)); });
}

Result<Stats> Engine::stats() {
  return await<Stats>([&](auto done) { stats_async(std::move(done)); });
}

// ---- Operating on one job ---------------------------------------------------------------------

void Engine::cancel_async(CancelJob command, Completion<Job> done) {
  impl_->running.store().cancel(std::move(command), give_job(impl_->running, std::move(done)));
}

Result<Job> Engine::cancel(CancelJob command) {
  return await<Job>([&](auto done) { cancel_async(std::move(command), std::move(done)); });
}

void Engine::reject_async(RejectJob command, Completion<Job> done) {
  impl_->running.store().reject(std::move(command), give_job(impl_->running, std::move(done)));
}

Result<Job> Engine::reject(RejectJob command) {
  return await<Job>([&](auto done) { reject_async(std::move(command), std::move(done)); });
}

void Engine::submit_draft_async(const JobId& id, Completion<Job> done) {
  impl_->running.store().submit_draft({id}, give_job(impl_->running, std::move(done)));
}

Result<Job> Engine::submit_draft(const JobId& id) {
  return await<Job>([&](auto done) { submit_draft_async(id, std::move(done)); });
}

void Engine::patch_async(PatchJob command, Completion<Job> done) {
  impl_->running.store().patch(std::move(command), give_job(impl_->running, std::move(done)));
}

Result<Job> Engine::patch(PatchJob command) {
  return await<Job>([&](auto done) { patch_async(std::move(command), std::move(done)); });
}

void Engine::redrive_async(const JobId& id, Completion<Job> done) {
  impl_->running.store().redrive({id}, give_job(impl_->running, std::move(done)));
}

Result<Job> Engine::redrive(const JobId& id) {
  return await<Job>([&](auto done) { redrive_async(id, std::move(done)); });
}

void Engine::remove_async(const JobId& id, Completion<Ok> done) {
  impl_->running.store().remove({id},
                                [done = std::move(done)](const Result<store::Deleted>& answer) {
                                  if (!answer) return complete<Ok>(done, answer.error());
                                  complete<Ok>(done, Ok{});
                                });
}

Status Engine::remove(const JobId& id) {
  return await<Ok>([&](auto done) { remove_async(id, std::move(done)); });
}

// ---- Queues and accounts ------------------------------------------------------------------------

void Engine::set_queue_async(QueueUpdate update, Completion<Queue> done) {
  impl_->running.store().set_queue(std::move(update), give<Queue>(std::move(done)));
}

Result<Queue> Engine::set_queue(QueueUpdate update) {
  return await<Queue>([&](auto done) { set_queue_async(std::move(update), std::move(done)); });
}

void Engine::get_queue_async(std::string name, Completion<Queue> done) {
  impl_->running.store().get_queue(std::move(name), give<Queue>(std::move(done)));
}

Result<Queue> Engine::get_queue(std::string name) {
  return await<Queue>([&](auto done) { get_queue_async(std::move(name), std::move(done)); });
}

void Engine::grant_async(GrantCredits command, Completion<Account> done) {
  impl_->running.store().grant(std::move(command), give<Account>(std::move(done)));
}

Result<Account> Engine::grant(GrantCredits command) {
  return await<Account>([&](auto done) { grant_async(std::move(command), std::move(done)); });
}

void Engine::get_account_async(std::string id, Completion<Account> done) {
  impl_->running.store().get_account(std::move(id), give<Account>(std::move(done)));
}

Result<Account> Engine::get_account(std::string id) {
  return await<Account>([&](auto done) { get_account_async(std::move(id), std::move(done)); });
}

namespace {

// Reads a ledger page after page.
struct Ledger {
  store::Store& store;
  store::EntriesPage page;
  Completion<std::vector<LedgerEntry>> done;
  std::vector<LedgerEntry> all;
};

void read_on(const std::shared_ptr<Ledger>& ledger) {
  ledger->store.entries(ledger->page, [ledger](Result<std::vector<LedgerEntry>> page) {
    if (!page) {
      return complete<std::vector<LedgerEntry>>(ledger->done, page.error());
    }
    ledger->all.insert(ledger->all.end(), page->begin(), page->end());
    if (page->size() < ledger->page.limit) {
      return complete<std::vector<LedgerEntry>>(ledger->done, std::move(ledger->all));
    }
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
    if (!page) return complete<Stats>(stats->done, page.error());
    std::vector<Queue>& all = stats->all.queues;
    std::move(page->queues.begin(), page->queues.end(), std::back_inserter(all));
    stats->all.live_jobs = page->live_jobs;
    stats->all.counts = page->counts;
    if (page->more) return read_on(stats, all.back().name);
    complete<Stats>(stats->done, std::move(stats->all));
  });
}

}  // namespace

void Engine::stats_async(Completion<Stats> done) {
  read_on(std::make_shared<AllStats>(AllStats{impl_->running.store(), std::move(done), {}}), {});
}

void Engine::entries_async(std::string account, Completion<std::vector<LedgerEntry>> done) {
  read_on(std::make_shared<Ledger>(
      Ledger{impl_->running.store(), {.account = std::move(account)}, std::move(done), {}}));
}

Result<std::vector<LedgerEntry>> Engine::entries(std::string account) {
  return await<std::vector<LedgerEntry>>(
      [&](auto done) { entries_async(std::move(account), std::move(done)); });
}

}  // namespace baton
