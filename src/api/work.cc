#include <atomic>
#include <stop_token>

#include "api/answer.h"
#include "api/decode.h"
#include "api/encode.h"
#include "api/handlers.h"
#include "api/shown_jobs.h"
#include "store/check_claim.h"
#include "store/show.h"
#include "wire/bytes.h"

namespace baton::api {
namespace {

using base::JsonWriter;
using RecordPtr = std::shared_ptr<const store::JobRecord>;

// What is shown of an execution's job, and of what that depended on.
std::size_t execution_bytes(const store::ClaimedJob& claimed) {
  std::size_t bytes = shown_bytes(*claimed.record);
  for (const DependencyResult& one : claimed.dependency_results)
    bytes += one.result ? one.result->bytes.size() : 0;
  return bytes;
}

// The store has seen to it that payloads, checkpoints and dependency results together are not too
// large. `body` is what
// `json` writes to: what stands around them has a limit of its own, for the answer as a whole.
void write_claimed_list(JsonWriter& json, const std::string& body,
                        const store::ClaimAnswer& answer) {
  std::size_t limit = kWholeClaimsBytes;
  json.key("executions");
  json.begin_array();
  for (const store::ClaimedJob& one : answer.executions) {
    if (!one.record) continue;
    wire::write_answer(json, store::show(one), {.brief = body.size() > limit});
    limit += execution_bytes(one);
  }
  json.end_array();
}

std::size_t claimed_bytes(const store::ClaimAnswer& answer) {
  std::size_t bytes = 0;
  for (const store::ClaimedJob& one : answer.executions)
    bytes += one.record ? execution_bytes(one) + kJobBytes : 0;
  return bytes;
}

http::Response claim_response(const store::ClaimAnswer& answer) {
  std::string body;
  body.reserve(answer.executions.size() * kJobBytes);
  JsonWriter json(body);
  json.begin_object();
  write_claimed_list(json, body, answer);
  json.end_object();
  return json_answer(200, std::move(body));
}

// The members of the answer to a call that changes nothing but the execution's own job.
void write_plain_members(JsonWriter& json, CallKind kind, const store::CallAnswer& answer) {
  wire::RowOutput out{json, wire::Message::kAnswer};
  wire::write_members(out, kind, store::show(answer));
}

// nack, reject, cancelled and release answer with the whole job.
bool answers_with_job(CallKind kind) {
  return kind == CallKind::kNack || kind == CallKind::kReject || kind == CallKind::kCancelled ||
         kind == CallKind::kRelease;
}

// Whether the refusal is to say what was committed: the caller's work was done, by another.
bool tells_result(CallKind kind, const Error& error) {
  return error.code == Code::kAlreadyCommitted &&
         (kind == CallKind::kCommit || kind == CallKind::kDone || kind == CallKind::kAck);
}

MoreMembers committed_result(const RecordPtr& record) {
  return [record](JsonWriter& json) {
    wire::write_result(json, record->result ? &*record->result : nullptr);
  };
}

// Several calls and a claim, on their way to one answer.
struct OpenExchange {
  explicit OpenExchange(ApiCall its_call) : call(std::move(its_call)) {}

  ApiCall call;
  std::vector<CallKind> kinds;
  std::vector<JobId> jobs;
  std::vector<Result<store::CallAnswer>> results;
  std::shared_ptr<ShownJobs> shown;  // where the answer shows the job
  std::optional<Error> failure;      // of the calls as a whole
  Result<store::ClaimAnswer> claimed = store::ClaimAnswer{};
  std::atomic<std::size_t> open = 1;  // parts that are not there yet
};
using ExchangePtr = std::shared_ptr<OpenExchange>;

void write_op(JsonWriter& json, const OpenExchange& exchange, std::size_t i) {
  const Result<store::CallAnswer>& result = exchange.results[i];
  json.begin_object();
  if (!result) {
    json.key("error");
    write_problem(json, result.error());
    return json.end_object();
  }
  json.key("ok");
  json.boolean(true);
  if (const std::string& job = exchange.shown->at(i); !job.empty()) {
    json.key("job");
    json.raw(job);
  } else {
    write_plain_members(json, exchange.kinds[i], *result);
  }
  json.end_object();
}

http::Response exchange_response(const OpenExchange& exchange) {
  if (exchange.failure) return problem_answer(*exchange.failure);
  // The calls were made, so the claim's refusal must not hide what became of them.
  if (!exchange.claimed && exchange.results.empty()) {
    return problem_answer(exchange.claimed.error());
  }
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("results");
  json.begin_array();
  for (std::size_t i = 0; i < exchange.results.size(); ++i)
    write_op(json, exchange, i);
  json.end_array();
  write_claimed_list(json, body, exchange.claimed ? *exchange.claimed : store::ClaimAnswer{});
  if (!exchange.claimed) {
    json.key("claim_error");
    write_problem(json, exchange.claimed.error());
  }
  json.end_object();
  return json_answer(200, std::move(body));
}

void part_is_there(const ExchangePtr& exchange) {
  if (--exchange->open > 0) return;
  const ApiCall call = exchange->call;
  const std::size_t bytes = exchange->claimed ? claimed_bytes(*exchange->claimed) : 0;
  call.answer([exchange] { return exchange_response(*exchange); }, bytes);
}

engine::WaitingClaim waiting_claim(const ApiCall& call, ClaimRequest request,
                                   store::Done<store::ClaimAnswer> done) {
  std::stop_source gone;
  call.responder.on_closed([gone]() mutable { gone.request_stop(); });
  request.stop = gone.get_token();
  return {.request = std::move(request), .done = std::move(done)};
}

// The jobs are in the answer, and not what was committed: who wants that asks for the job.
void take_results(const ExchangePtr& exchange, std::vector<Result<store::CallAnswer>> results) {
  exchange->results = std::move(results);
  exchange->shown = std::make_shared<ShownJobs>(exchange->call.service.store, kWholeClaimsBytes);
  for (std::size_t i = 0; i < exchange->results.size(); ++i) {
    if (exchange->results[i] && answers_with_job(exchange->kinds[i]))
      exchange->shown->want(i, exchange->jobs[i]);
  }
  ++exchange->open;
  exchange->shown->read([exchange] { part_is_there(exchange); });
}

// Since when the server has it.
Duration waited(const ApiCall& call) {
  return Duration{call.service.clock.monotonic().ms - call.request.arrived.ms};
}

void post_calls(const ExchangePtr& exchange, std::vector<WorkCall> calls) {
  if (calls.empty()) return;
  for (WorkCall& one : calls) {
    one.waited = waited(exchange->call);
    exchange->kinds.push_back(one.kind());
    exchange->jobs.push_back(one.execution.job());
  }
  ++exchange->open;
  exchange->call.service.store.work(
      std::move(calls), [exchange](Result<std::vector<Result<store::CallAnswer>>> results) {
        if (results) {
          exchange->call.service.workers.called(*results);
          take_results(exchange, std::move(*results));
        } else {
          exchange->failure = results.error();
        }
        part_is_there(exchange);
      });
}

void post_claim(const ExchangePtr& exchange, std::optional<ClaimRequest> claim) {
  if (!claim) return;
  ++exchange->open;
  exchange->call.service.claims.claim(waiting_claim(exchange->call, std::move(*claim),
                                                    [exchange](Result<store::ClaimAnswer> answer) {
                                                      exchange->claimed = std::move(answer);
                                                      part_is_there(exchange);
                                                    }));
}

void refuse_one(const ApiCall& call, CallKind kind, const JobId& job, const Error& error) {
  if (!tells_result(kind, error)) return call.answer(problem_answer(error));
  call.service.store.get(job, [call, error](const Result<RecordPtr>& record) {
    if (!record) return call.answer(problem_answer(error));
    call.answer(
        [error, record = *record] { return problem_answer(error, committed_result(record)); },
        shown_bytes(**record));
  });
}

void answer_one(const ApiCall& call, CallKind kind, const Result<store::CallAnswer>& result) {
  if (answers_with_job(kind)) {
    return call.service.store.get(result->job, [call](const Result<RecordPtr>& record) {
      if (!record) return call.answer(problem_answer(record.error()));
      call.answer([record = *record] { return json_answer(200, wrapped_job(store::show(record))); },
                  shown_bytes(**record));
    });
  }
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  write_plain_members(json, kind, *result);
  json.end_object();
  call.answer(json_answer(200, std::move(body)));
}

void make_call(const ApiCall& call, CallKind kind) {
  const auto execution = parse_execution_id(call.names.front());
  if (!execution) {
    return call.answer(problem_answer(not_found("there is no execution " + call.names.front())));
  }
  auto work = decode_call(call.request.body, kind, *execution);
  if (!work) return call.answer(problem_answer(work.error()));
  std::vector<WorkCall> calls;
  calls.push_back(std::move(*work));
  calls.back().waited = waited(call);
  call.service.store.work(std::move(calls),
                          [call, kind, job = execution->job()](
                              const Result<std::vector<Result<store::CallAnswer>>>& results) {
                            if (!results) return call.answer(problem_answer(results.error()));
                            call.service.workers.called(*results);
                            const auto& result = results->front();
                            if (!result) return refuse_one(call, kind, job, result.error());
                            answer_one(call, kind, result);
                          });
}

}  // namespace

void claim(const ApiCall& call) {
  auto body = wire::read_request<ClaimRequest>(call.request.body);
  if (!body) return call.answer(problem_answer(body.error()));
  call.service.claims.claim(
      waiting_claim(call, std::move(*body), [call](Result<store::ClaimAnswer> answer) {
        if (!answer) return call.answer(problem_answer(answer.error()));
        auto claimed = std::make_shared<const store::ClaimAnswer>(std::move(*answer));
        call.answer([claimed] { return claim_response(*claimed); }, claimed_bytes(*claimed));
      }));
}

void start_execution(const ApiCall& call) { make_call(call, CallKind::kStart); }
void heartbeat(const ApiCall& call) { make_call(call, CallKind::kHeartbeat); }
void commit(const ApiCall& call) { make_call(call, CallKind::kCommit); }
void finish(const ApiCall& call) { make_call(call, CallKind::kDone); }
void ack(const ApiCall& call) { make_call(call, CallKind::kAck); }
void nack(const ApiCall& call) { make_call(call, CallKind::kNack); }
void reject_execution(const ApiCall& call) { make_call(call, CallKind::kReject); }
void confirm_cancelled(const ApiCall& call) { make_call(call, CallKind::kCancelled); }
void release_execution(const ApiCall& call) { make_call(call, CallKind::kRelease); }
void spawn(const ApiCall& call) { make_call(call, CallKind::kSpawn); }

void work_batch(const ApiCall& call) {
  auto batch = wire::read_request<Exchange>(call.request.body);
  if (!batch) return call.answer(problem_answer(batch.error()));
  // Checked first, so that a claim that cannot be made leaves the calls unmade.
  if (batch->claim) {
    if (const auto checked = store::check_claim(*batch->claim); !checked) {
      Error error = checked.error();
      error.field = "claim." + error.field;
      error.message = "claim." + error.message;
      return call.answer(problem_answer(error));
    }
  }
  // The claim follows the calls without waiting for them: the store applies them in this order,
  // and makes all of it durable at once.
  const auto exchange = std::make_shared<OpenExchange>(call);
  post_calls(exchange, std::move(batch->calls));
  post_claim(exchange, std::move(batch->claim));
  part_is_there(exchange);
}

}  // namespace baton::api
