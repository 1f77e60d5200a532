#include "baton/client.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "client/address.h"
#include "client/answers.h"
#include "client/caller.h"
#include "client/deadline.h"
#include "client/deliver.h"
#include "client/exchanger.h"
#include "client/requests.h"

namespace baton {

using namespace client;  // NOLINT: the folder of the same name is what a Client is made of

struct Client::Parts {
  Parts(Address address, const ClientOptions& options, std::shared_ptr<TlsContext> tls)
      : caller(std::move(address), options, std::move(tls)), exchanger(caller) {}

  // Makes a call and reads its answer.
  template <class T>
  Result<T> ask(const RawRequest& request, Result<T> (*read)(std::string_view)) {
    const Result<RawAnswer> answer = caller.call(request);
    if (!answer) return answer.error();
    return read(answer->body);
  }

  // Reads all pages of a list.
  template <class T, class RequestPage>
  Result<std::vector<T>> ask_all(RequestPage request_page,
                                 Result<AnswerPage<T>> (*read)(std::string_view)) {
    std::vector<T> all;
    std::string cursor;
    do {
      Result<AnswerPage<T>> page = ask<AnswerPage<T>>(request_page(cursor), read);
      if (!page) return page.error();
      std::move(page->list.begin(), page->list.end(), std::back_inserter(all));
      cursor = std::move(page->next_cursor);
    } while (!cursor.empty());
    return all;
  }

  Caller caller;
  Exchanger exchanger;
};

namespace {

// One request that waits is no longer than this, so that nothing between us and the server takes
// the connection for dead.
constexpr Duration kLongestWait{60'000};

Error bad_option(const std::string& field, const std::string& message) {
  return {.code = Code::kBadRequest, .message = message, .field = field};
}

bool is_header_text(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

Result<std::unique_ptr<Client>> Client::open(const ClientOptions& options) {
  Result<Address> address = parse_address(options.url);
  if (!address) return address.error();
  if (!is_header_text(options.token))
    return bad_option("token", "the token has a forbidden character");
  if (options.connect_timeout < Duration(1))
    return bad_option("connect_timeout", "must be positive");
  if (options.answer_timeout < Duration(1)) return bad_option("answer_timeout", "must be positive");
  std::shared_ptr<TlsContext> tls;
  if (address->secure) {
    auto made = make_tls_context(options.ca_file);
    if (!made) return made.error();
    tls = *std::move(made);
  }
  return std::make_unique<Client>(
      std::make_unique<Parts>(*std::move(address), options, std::move(tls)));
}

Client::Client(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Client::~Client() = default;

// ---- Submitting -------------------------------------------------------------------------------

Result<Submitted> Client::submit(const Submission& job) {
  return parts_->ask(submit_request(job), read_submitted);
}

Result<std::vector<Result<Submitted>>> Client::submit_batch(const Batch& batch) {
  return parts_->ask(batch_request(batch), read_batch_results);
}

// ---- Reading ----------------------------------------------------------------------------------

Result<Job> Client::get(const JobId& id) {
  return parts_->ask(get_request(to_string(id)), read_bare_job);
}

Result<Job> Client::wait(const JobId& id, Duration timeout) {
  const Deadline deadline = Deadline::in(timeout);
  while (true) {
    const Duration left = std::min(Duration(deadline.left_ms()), kLongestWait);
    Result<Job> job = parts_->ask(wait_request(to_string(id), left), read_bare_job);
    if (!job || job->ended() || deadline.left_ms() == 0) return job;
  }
}

Result<std::vector<HistoryEntry>> Client::history(const JobId& id) {
  return parts_->ask(part_request(to_string(id), "history"), read_history);
}

Result<std::vector<Execution>> Client::executions(const JobId& id) {
  return parts_->ask(part_request(to_string(id), "executions"), read_executions);
}

Result<Explanation> Client::explain(const JobId& id) {
  return parts_->ask(part_request(to_string(id), "explain"), read_explanation_answer);
}

Result<JobPage> Client::list(const JobFilter& filter) {
  return parts_->ask(list_request(filter), read_job_page);
}

Result<JobPage> Client::dead_letters(const JobFilter& filter) {
  return parts_->ask(dead_letters_request(filter), read_job_page);
}

Result<Stats> Client::stats() {
  Stats all;
  std::vector<Queue> queues;
  std::string cursor;
  do {
    const Result<RawAnswer> answer = parts_->caller.call(stats_request(cursor));
    if (!answer) return answer.error();
    Result<StatsAnswer> page = read_stats(answer->body);
    if (!page) return page.error();
    std::move(page->stats.queues.begin(), page->stats.queues.end(), std::back_inserter(queues));
    all = std::move(page->stats);
    cursor = std::move(page->next_cursor);
  } while (!cursor.empty());
  all.queues = std::move(queues);
  return all;
}

Result<std::vector<SeenWorker>> Client::workers() {
  return parts_->ask_all<SeenWorker>(
      [](const std::string& cursor) { return workers_request(cursor); }, read_worker_page);
}

// ---- Operating on one job ---------------------------------------------------------------------

Result<Job> Client::cancel(const CancelJob& command) {
  return parts_->ask(cancel_request(to_string(command.id), command), read_wrapped_job);
}

Result<Job> Client::reject(const RejectJob& command) {
  return parts_->ask(reject_request(command), read_wrapped_job);
}

Result<Job> Client::submit_draft(const JobId& id) {
  return parts_->ask(submit_draft_request(to_string(id)), read_wrapped_job);
}

Result<Job> Client::patch(const PatchJob& command) {
  return parts_->ask(patch_request(command), read_wrapped_job);
}

Result<Job> Client::redrive(const JobId& id) {
  return parts_->ask(redrive_request(to_string(id)), read_wrapped_job);
}

Status Client::remove(const JobId& id) {
  const Result<RawAnswer> answer = parts_->caller.call(remove_request(to_string(id)));
  if (!answer) return answer.error();
  return Ok{};
}

// ---- Queues and accounts ----------------------------------------------------------------------

Result<std::vector<Queue>> Client::queues() {
  return parts_->ask_all<Queue>([](const std::string& cursor) { return queues_request(cursor); },
                                read_queue_page);
}

Result<Queue> Client::set_queue(const QueueUpdate& update) {
  // Draining is no setting over HTTP but a verb of its own.
  if (update.draining) {
    Result<Queue> switched = *update.draining ? drain(update.name) : resume(update.name);
    if (!switched) return switched;
  }
  return parts_->ask(set_queue_request(update), read_queue_answer);
}

Result<Queue> Client::get_queue(const std::string& name) {
  return parts_->ask(queue_request(name), read_queue_answer);
}

Result<Queue> Client::pause(const std::string& queue) {
  return parts_->ask(switch_queue_request(queue, "pause"), read_queue_answer);
}

Result<Queue> Client::resume(const std::string& queue) {
  return parts_->ask(switch_queue_request(queue, "resume"), read_queue_answer);
}

Result<Queue> Client::drain(const std::string& queue) {
  return parts_->ask(switch_queue_request(queue, "drain"), read_queue_answer);
}

Result<Account> Client::grant(const GrantCredits& command) {
  return parts_->ask(grant_request(command), read_account_answer);
}

Result<Account> Client::get_account(const std::string& id) {
  return parts_->ask(account_request(id), read_account_answer);
}

Result<std::vector<LedgerEntry>> Client::entries(const std::string& account) {
  return parts_->ask_all<LedgerEntry>(
      [&](const std::string& cursor) { return entries_request(account, cursor); },
      read_ledger_page);
}

// ---- Working ----------------------------------------------------------------------------------

Result<std::vector<Claimed>> Client::claim(const ClaimRequest& request) {
  return parts_->ask(claim_request(request), read_claims);
}

Result<std::vector<Result<WorkAnswer>>> Client::work(const std::vector<WorkCall>& calls) {
  Interrupt never;
  Result<ExchangeAnswer> answer = deliver(parts_->caller, {.calls = calls}, never);
  if (!answer) return answer.error();
  return std::move(answer->results);
}

void Client::exchange(Exchange exchange, Completion<ExchangeAnswer> done) {
  parts_->exchanger.exchange(std::move(exchange), std::move(done));
}

Result<RawAnswer> Client::raw(const RawRequest& request) { return parts_->caller.call(request); }

}  // namespace baton
