// The verbs of Engine that read and operate: each turns its command into the store's, and the
// answer back. Submissions are in submitting.cc, the worker's calls in working.cc.
#include "baton/engine.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "engine/blocking.h"
#include "engine/convert.h"
#include "engine/parts.h"

namespace baton {
namespace engine {
namespace {

// Answers from the store go to the program in its own words.
template <class Inner, class Outer>
store::Done<Inner> give(Completion<Outer> done) {
  return [done = std::move(done)](Result<Inner> answer) {
    if (!answer) return complete<Outer>(done, answer.error());
    complete<Outer>(done, from_store(*answer));
  };
}

using Record = std::shared_ptr<const store::JobRecord>;

// The same for reads that give a record, of which `part` makes the answer.
template <class Outer, class Part>
store::Done<Record> give_part(Completion<Outer> done, Part part) {
  return [done = std::move(done), part](Result<Record> answer) {
    if (!answer) return complete<Outer>(done, answer.error());
    complete<Outer>(done, part(**answer));
  };
}

Job whole_job(const store::JobRecord& record) { return from_store(record); }

// A change of one job is answered with the job as a reader finds it right afterwards.
store::Done<store::JobAnswer> give_job(Engine::Parts& parts, Completion<Job> done) {
  return [&parts, done = std::move(done)](Result<store::JobAnswer> answer) {
    if (!answer) return complete<Job>(done, answer.error());
    parts.store->get(answer->id, give_part<Job>(done, &whole_job));
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
using engine::job_id;
using engine::to_store;

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::~Engine() = default;

// ---- Reading ----------------------------------------------------------------------------------

void Engine::get_async(const std::string& id, Completion<Job> done) {
  const auto job = job_id(id);
  if (!job) return complete<Job>(done, job.error());
  parts_->store->get(*job, give_part<Job>(std::move(done), &engine::whole_job));
}

Result<Job> Engine::get(const std::string& id) {
  return await<Job>([&](auto done) { get_async(id, std::move(done)); });
}

void Engine::wait_async(const std::string& id, Duration timeout, Completion<Job> done) {
  const auto job = job_id(id);
  if (!job) return complete<Job>(done, job.error());
  parts_->waits.wait(
      *job, timeout, [parts = parts_.get(), done = std::move(done)](Result<engine::Record> answer) {
        const bool early = answer && !is_terminal((*answer)->facts.state);
        if (early && parts->closing) {
          return complete<Job>(
              done, Error{.code = Code::kShuttingDown, .message = "the engine is closing"});
        }
        give_part<Job>(done, &engine::whole_job)(std::move(answer));
      });
}

Result<Job> Engine::wait(const std::string& id, Duration timeout) {
  return await<Job>([&](auto done) { wait_async(id, timeout, std::move(done)); });
}

void Engine::history_async(const std::string& id, Completion<std::vector<HistoryEntry>> done) {
  using History = std::vector<HistoryEntry>;
  const auto job = job_id(id);
  if (!job) return complete<History>(done, job.error());
  parts_->store->get(*job, give_part<History>(std::move(done), &engine::history_of));
}

Result<std::vector<HistoryEntry>> Engine::history(const std::string& id) {
  return await<std::vector<HistoryEntry>>([&](auto done) { history_async(id, std::move(done)); });
}

void Engine::executions_async(const std::string& id, Completion<std::vector<Execution>> done) {
  using Executions = std::vector<Execution>;
  const auto job = job_id(id);
  if (!job) return complete<Executions>(done, job.error());
  parts_->store->get(*job, give_part<Executions>(std::move(done), &engine::executions_of));
}

Result<std::vector<Execution>> Engine::executions(const std::string& id) {
  return await<std::vector<Execution>>([&](auto done) { executions_async(id, std::move(done)); });
}

void Engine::explain_async(const std::string& id, Completion<Explanation> done) {
  const auto job = job_id(id);
  if (!job) return complete<Explanation>(done, job.error());
  parts_->store->explain(*job, give<Explanation, Explanation>(std::move(done)));
}

Result<Explanation> Engine::explain(const std::string& id) {
  return await<Explanation>([&](auto done) { explain_async(id, std::move(done)); });
}

void Engine::list_async(JobFilter filter, Completion<JobPage> done) {
  auto inner = to_store(std::move(filter));
  if (!inner) return complete<JobPage>(done, inner.error());
  parts_->store->list(*std::move(inner), give<store::JobList, JobPage>(std::move(done)));
}

Result<JobPage> Engine::list(JobFilter filter) {
  return await<JobPage>([&](auto done) { list_async(std::move(filter), std::move(done)); });
}

Result<Stats> Engine::stats() {
  return await<Stats>([&](auto done) { stats_async(std::move(done)); });
}

// ---- Operating on one job ---------------------------------------------------------------------

void Engine::cancel_async(CancelJob command, Completion<Job> done) {
  auto inner = to_store(std::move(command));
  if (!inner) return complete<Job>(done, inner.error());
  parts_->store->cancel(*std::move(inner), give_job(*parts_, std::move(done)));
}

Result<Job> Engine::cancel(CancelJob command) {
  return await<Job>([&](auto done) { cancel_async(std::move(command), std::move(done)); });
}

void Engine::reject_async(RejectJob command, Completion<Job> done) {
  auto inner = to_store(std::move(command));
  if (!inner) return complete<Job>(done, inner.error());
  parts_->store->reject(*std::move(inner), give_job(*parts_, std::move(done)));
}

Result<Job> Engine::reject(RejectJob command) {
  return await<Job>([&](auto done) { reject_async(std::move(command), std::move(done)); });
}

void Engine::submit_draft_async(const std::string& id, Completion<Job> done) {
  const auto job = job_id(id);
  if (!job) return complete<Job>(done, job.error());
  parts_->store->submit_draft({*job}, give_job(*parts_, std::move(done)));
}

Result<Job> Engine::submit_draft(const std::string& id) {
  return await<Job>([&](auto done) { submit_draft_async(id, std::move(done)); });
}

void Engine::patch_async(PatchJob command, Completion<Job> done) {
  auto inner = to_store(std::move(command));
  if (!inner) return complete<Job>(done, inner.error());
  parts_->store->patch(*std::move(inner), give_job(*parts_, std::move(done)));
}

Result<Job> Engine::patch(PatchJob command) {
  return await<Job>([&](auto done) { patch_async(std::move(command), std::move(done)); });
}

void Engine::redrive_async(const std::string& id, Completion<Job> done) {
  const auto job = job_id(id);
  if (!job) return complete<Job>(done, job.error());
  parts_->store->redrive({*job}, give_job(*parts_, std::move(done)));
}

Result<Job> Engine::redrive(const std::string& id) {
  return await<Job>([&](auto done) { redrive_async(id, std::move(done)); });
}

void Engine::remove_async(const std::string& id, Completion<Ok> done) {
  const auto job = job_id(id);
  if (!job) return complete<Ok>(done, job.error());
  parts_->store->remove({*job}, [done = std::move(done)](const Result<store::Deleted>& answer) {
    if (!answer) return complete<Ok>(done, answer.error());
    complete<Ok>(done, Ok{});
  });
}

Status Engine::remove(const std::string& id) {
  return await<Ok>([&](auto done) { remove_async(id, std::move(done)); });
}

// ---- Queues, accounts, upkeep -----------------------------------------------------------------

void Engine::set_queue_async(QueueUpdate update, Completion<Queue> done) {
  auto inner = to_store(std::move(update), parts_->backoff);
  if (!inner) return complete<Queue>(done, inner.error());
  parts_->store->set_queue(*std::move(inner), give<Queue, Queue>(std::move(done)));
}

Result<Queue> Engine::set_queue(QueueUpdate update) {
  return await<Queue>([&](auto done) { set_queue_async(std::move(update), std::move(done)); });
}

void Engine::get_queue_async(std::string name, Completion<Queue> done) {
  parts_->store->get_queue(std::move(name), give<Queue, Queue>(std::move(done)));
}

Result<Queue> Engine::get_queue(std::string name) {
  return await<Queue>([&](auto done) { get_queue_async(std::move(name), std::move(done)); });
}

void Engine::grant_async(GrantCredits command, Completion<Account> done) {
  parts_->store->grant(to_store(std::move(command)),
                       give<Account, Account>(std::move(done)));
}

Result<Account> Engine::grant(GrantCredits command) {
  return await<Account>([&](auto done) { grant_async(std::move(command), std::move(done)); });
}

void Engine::get_account_async(std::string id, Completion<Account> done) {
  parts_->store->get_account(std::move(id), give<Account, Account>(std::move(done)));
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
      return complete<std::vector<LedgerEntry>>(ledger->done, engine::from_store(ledger->all));
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
    if (page->more) return read_on(stats, all.back().name);
    complete<Stats>(stats->done, engine::from_store(stats->all));
  });
}

}  // namespace

void Engine::stats_async(Completion<Stats> done) {
  read_on(std::make_shared<AllStats>(AllStats{*parts_->store, std::move(done), {}}), {});
}

void Engine::entries_async(std::string account, Completion<std::vector<LedgerEntry>> done) {
  read_on(std::make_shared<Ledger>(
      Ledger{*parts_->store, {.account = std::move(account)}, std::move(done), {}}));
}

Result<std::vector<LedgerEntry>> Engine::entries(std::string account) {
  return await<std::vector<LedgerEntry>>(
      [&](auto done) { entries_async(std::move(account), std::move(done)); });
}

void Engine::prune_async(std::int64_t limit, Completion<Pruned> done) {
  parts_->store->prune({limit}, give<Pruned, Pruned>(std::move(done)));
}

Result<Pruned> Engine::prune(std::int64_t limit) {
  return await<Pruned>([&](auto done) { prune_async(limit, std::move(done)); });
}

}  // namespace baton
