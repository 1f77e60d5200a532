#include "baton/client.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "client/address.h"
#include "client/answers.h"
#include "client/call_pool.h"
#include "client/caller.h"
#include "client/deadline.h"
#include "client/deliver.h"
#include "client/requests.h"

namespace baton {

using namespace client;  // NOLINT: the folder of the same name is what a Client is made of

struct Client::Impl {
  Impl(Address address, const ClientOptions& options, std::shared_ptr<TlsContext> tls)
      : caller(std::move(address), options, std::move(tls)) {}

  // Makes a call and reads its answer, on this thread.
  template <class T>
  Result<T> ask(const RawRequest& request, Result<T> (*read)(std::string_view),
                Interrupt* interrupt = nullptr) {
    const Result<RawAnswer> answer = caller.call(request, interrupt);
    if (!answer) return answer.error();
    return read(answer->body);
  }

  // The same, on a thread of the pool.
  template <class T>
  Pending<T> begin(RawRequest request, Result<T> (*read)(std::string_view)) {
    return pool.begin<T>(Takes::kShort, [this, request = std::move(request), read](
                                            const std::stop_token&) { return ask(request, read); });
  }

  // Reads all pages of a list.
  template <class T, class RequestPage>
  Pending<std::vector<T>> begin_all(RequestPage request_page,
                                    Result<AnswerPage<T>> (*read)(std::string_view)) {
    return pool.begin<std::vector<T>>(
        Takes::kShort,
        [this, request_page, read](const std::stop_token&) -> Result<std::vector<T>> {
          std::vector<T> all;
          std::string cursor;
          do {
            Result<AnswerPage<T>> page = ask<AnswerPage<T>>(request_page(cursor), read);
            if (!page) return page.error();
            std::move(page->list.begin(), page->list.end(), std::back_inserter(all));
            cursor = std::move(page->next_cursor);
          } while (!cursor.empty());
          return all;
        });
  }

  Result<Waited> wait(const std::string& id, Deadline deadline, const std::stop_token& closing);
  Result<Stats> stats();
  Result<Queue> set_queue(const QueueUpdate& update);
  Result<std::vector<Claimed>> claim(const ClaimRequest& request, const std::stop_token& closing);
  Result<ExchangeAnswer> exchange(const Exchange& exchange, const std::stop_token& closing);

  Caller caller;
  CallPool pool;  // the last: its calls use the rest
};

namespace {

// One request that waits is no longer than this, so that nothing between us and the server takes
// the connection for dead.
constexpr Duration kLongestWait{60'000};

// Nobody reads more of a job that was just made.
RawRequest minimal(RawRequest request) {
  request.minimal = true;
  return request;
}

Error bad_option(const std::string& field, const std::string& message) {
  return {.code = Code::kBadRequest, .message = message, .field = field};
}

Result<Ok> read_nothing(std::string_view) { return Ok{}; }

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
  return std::unique_ptr<Client>(
      new Client(std::make_unique<Impl>(*std::move(address), options, std::move(tls))));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;

// ---- Submitting -------------------------------------------------------------------------------

Pending<Submitted> Client::submit(Submission job) {
  return impl_->begin(minimal(submit_request(job)), read_submitted);
}

Pending<std::vector<Result<Submitted>>> Client::submit_batch(Batch batch) {
  return impl_->begin(minimal(batch_request(batch)), read_batch_results);
}

// ---- Reading ----------------------------------------------------------------------------------

Pending<Job> Client::get(const JobId& id) {
  return impl_->begin(get_request(to_string(id)), read_bare_job);
}

Result<Waited> Client::Impl::wait(const std::string& id, Deadline deadline,
                                  const std::stop_token& closing) {
  Interrupt interrupt;
  const std::stop_callback closed(closing, [&interrupt] { interrupt.fire(); });
  while (true) {
    const Duration left = std::min(Duration(deadline.left_ms()), kLongestWait);
    Result<Job> job = ask(wait_request(id, left), read_bare_job, &interrupt);
    if (!job && interrupt.fired()) return closing_error();
    if (!job) return job.error();
    const bool ended = job->ended();
    if (ended || deadline.left_ms() == 0) return Waited{*std::move(job), !ended};
  }
}

Pending<Waited> Client::wait(const JobId& id, Duration timeout) {
  return impl_->pool.begin<Waited>(
      Takes::kLong, [impl = impl_.get(), id = to_string(id), deadline = Deadline::in(timeout)](
                        const auto& closing) { return impl->wait(id, deadline, closing); });
}

Pending<std::vector<HistoryEntry>> Client::history(const JobId& id) {
  return impl_->begin(part_request(to_string(id), "history"), read_history);
}

Pending<std::vector<Execution>> Client::executions(const JobId& id) {
  return impl_->begin(part_request(to_string(id), "executions"), read_executions);
}

Pending<Explanation> Client::explain(const JobId& id) {
  return impl_->begin(part_request(to_string(id), "explain"), read_explanation_answer);
}

Pending<JobPage> Client::list(JobFilter filter) {
  return impl_->begin(list_request(filter), read_job_page);
}

Pending<JobPage> Client::dead_letters(JobFilter filter) {
  return impl_->begin(dead_letters_request(filter), read_job_page);
}

Result<Stats> Client::Impl::stats() {
  Stats all;
  std::vector<Queue> queues;
  std::string cursor;
  do {
    Result<StatsAnswer> page = ask(stats_request(cursor), read_stats);
    if (!page) return page.error();
    std::move(page->stats.queues.begin(), page->stats.queues.end(), std::back_inserter(queues));
    all = std::move(page->stats);
    cursor = std::move(page->next_cursor);
  } while (!cursor.empty());
  all.queues = std::move(queues);
  return all;
}

Pending<Stats> Client::stats() {
  return impl_->pool.begin<Stats>(Takes::kShort,
                                  [impl = impl_.get()](const auto&) { return impl->stats(); });
}

// ---- Operating on one job ---------------------------------------------------------------------

Pending<Job> Client::cancel(CancelJob command) {
  return impl_->begin(cancel_request(to_string(command.id), command), read_wrapped_job);
}

Pending<Job> Client::reject(RejectJob command) {
  return impl_->begin(reject_request(command), read_wrapped_job);
}

Pending<Job> Client::submit_draft(const JobId& id) {
  return impl_->begin(submit_draft_request(to_string(id)), read_wrapped_job);
}

Pending<Job> Client::patch(PatchJob command) {
  return impl_->begin(patch_request(command), read_wrapped_job);
}

Pending<Job> Client::redrive(RedriveJob command) {
  return impl_->begin(redrive_request(to_string(command.id), command), read_wrapped_job);
}

Pending<Ok> Client::remove(const JobId& id) {
  return impl_->begin<Ok>(remove_request(to_string(id)), read_nothing);
}

// ---- Queues and accounts ----------------------------------------------------------------------

Pending<std::vector<SeenWorker>> Client::workers() {
  return impl_->begin_all<SeenWorker>(
      [](const std::string& cursor) { return workers_request(cursor); }, read_worker_page);
}

Pending<std::vector<Queue>> Client::queues() {
  return impl_->begin_all<Queue>([](const std::string& cursor) { return queues_request(cursor); },
                                 read_queue_page);
}

Result<Queue> Client::Impl::set_queue(const QueueUpdate& update) {
  if (!update.make) {
    // A queue that is deleted in between is made anew, as if it had been asked for before.
    Result<Queue> there = ask(queue_request(update.name), read_queue_answer);
    if (!there) return there;
  }
  Result<Queue> set = ask(set_queue_request(update), read_queue_answer);
  if (!set || !update.draining) return set;
  // Draining is no setting over HTTP but a verb of its own.
  const std::string_view verb = *update.draining ? "drain" : "resume";
  Result<Queue> switched = ask(switch_queue_request(update.name, verb), read_queue_answer);
  if (!switched || *update.draining) return switched;
  return ask(set_queue_request(update), read_queue_answer);  // resuming also ended a pause
}

Pending<Queue> Client::set_queue(QueueUpdate update) {
  return impl_->pool.begin<Queue>(Takes::kShort,
                                  [impl = impl_.get(), update = std::move(update)](const auto&) {
                                    return impl->set_queue(update);
                                  });
}

Pending<Queue> Client::get_queue(std::string name) {
  return impl_->begin(queue_request(name), read_queue_answer);
}

Pending<Ok> Client::remove_queue(std::string name) {
  return impl_->begin<Ok>(remove_queue_request(name), read_nothing);
}

Pending<Queue> Client::pause(std::string queue) {
  return impl_->begin(switch_queue_request(queue, "pause"), read_queue_answer);
}

Pending<Queue> Client::resume(std::string queue) {
  return impl_->begin(switch_queue_request(queue, "resume"), read_queue_answer);
}

Pending<Queue> Client::drain(std::string queue) {
  return impl_->begin(switch_queue_request(queue, "drain"), read_queue_answer);
}

Pending<Account> Client::grant(GrantCredits command) {
  return impl_->begin(grant_request(command), read_account_answer);
}

Pending<Account> Client::get_account(std::string id) {
  return impl_->begin(account_request(id), read_account_answer);
}

Pending<std::vector<LedgerEntry>> Client::entries(std::string account) {
  return impl_->begin_all<LedgerEntry>(
      [account = std::move(account)](const std::string& cursor) {
        return entries_request(account, cursor);
      },
      read_ledger_page);
}

// ---- Working ----------------------------------------------------------------------------------

namespace {

// Fires when the claimer or the client wants no more.
class ClaimInterrupt {
 public:
  ClaimInterrupt(const std::stop_token& stop, const std::stop_token& closing)
      : stopped_(stop, Fire{interrupt_}), closed_(closing, Fire{interrupt_}) {}
  Interrupt& operator*() { return interrupt_; }

 private:
  struct Fire {
    Interrupt& interrupt;
    void operator()() const { interrupt.fire(); }
  };

  Interrupt interrupt_;
  std::stop_callback<Fire> stopped_;
  std::stop_callback<Fire> closed_;
};

Takes takes_of(const ClaimRequest& request) {
  return request.wait > Duration(0) ? Takes::kLong : Takes::kShort;
}

}  // namespace

Result<std::vector<Claimed>> Client::Impl::claim(const ClaimRequest& request,
                                                 const std::stop_token& closing) {
  ClaimInterrupt interrupt(request.stop, closing);
  auto claimed = ask(claim_request(request), read_claims, &*interrupt);
  if (claimed || !(*interrupt).fired()) return claimed;
  if (closing.stop_requested()) return closing_error();
  return std::vector<Claimed>{};
}

Pending<std::vector<Claimed>> Client::claim(ClaimRequest request) {
  const Takes takes = takes_of(request);
  return impl_->pool.begin<std::vector<Claimed>>(
      takes, [impl = impl_.get(), request = std::move(request)](const auto& closing) {
        return impl->claim(request, closing);
      });
}

Result<ExchangeAnswer> Client::Impl::exchange(const Exchange& exchange,
                                              const std::stop_token& closing) {
  Result<ExchangeAnswer> answer = [&] {
    ClaimInterrupt interrupt(exchange.claim ? exchange.claim->stop : std::stop_token(), closing);
    return deliver(caller, exchange, *interrupt);
  }();
  // A claim that the closing interrupted is answered with why nothing came.
  const bool nothing = answer && answer->results.empty() && answer->executions.empty();
  if (nothing && closing.stop_requested()) return closing_error();
  return answer;
}

Pending<ExchangeAnswer> Client::exchange(Exchange exchange) {
  const Takes takes = exchange.claim ? takes_of(*exchange.claim) : Takes::kShort;
  return impl_->pool.begin<ExchangeAnswer>(
      takes, [impl = impl_.get(), exchange = std::move(exchange)](const auto& closing) {
        return impl->exchange(exchange, closing);
      });
}

Pending<std::vector<Result<WorkAnswer>>> Client::work(std::vector<WorkCall> calls) {
  using Results = std::vector<Result<WorkAnswer>>;
  return impl_->pool.begin<Results>(Takes::kShort,
                                    [impl = impl_.get(), exchange = Exchange{std::move(calls), {}}](
                                        const auto& closing) -> Result<Results> {
                                      Result<ExchangeAnswer> answer =
                                          impl->exchange(exchange, closing);
                                      if (!answer) return answer.error();
                                      return std::move(answer->results);
                                    });
}

Pending<RawAnswer> Client::raw(RawRequest request) {
  const Takes takes = request.wait > Duration(0) ? Takes::kLong : Takes::kShort;
  return impl_->pool.begin<RawAnswer>(
      takes, [impl = impl_.get(), request = std::move(request)](const auto&) {
        return impl->caller.call(request);
      });
}

}  // namespace baton
