// Bodies of requests. The first byte chooses the call, the rest is its body. A body is refused with
// a code and a reason, or it is taken; and what was taken, a client can ask for: its own request
// for the same thing is read as the same command. What is shown of it, a client can read, and sees
// what a program with the engine inside sees.
#include <span>
#include <string>

#include "api/decode.h"
#include "base/assert.h"
#include "client/answers.h"
#include "client/requests.h"
#include "draw.h"
#include "json/flaw.h"
#include "lifecycle/validate.h"
#include "refusal.h"
#include "same.h"
#include "store/show.h"
#include "store/work_call.h"
#include "wire/bytes.h"

namespace baton::fuzz {
namespace {

const JobId kJob = *parse_job_id("aaaaaaaa-0000-4000-8000-000000000000");
constexpr Time kNow{1'900'000'000'000};

// The value, or nothing when the body was refused.
template <class T>
std::optional<T> taken(Result<T> result) {
  if (result) return std::move(*result);
  check_refusal(result.error());
  return std::nullopt;
}

// ---- What a client reads

// A program with the engine inside has bytes where a client has JSON: nothing, as JSON, is null.
Outcome as_read(Outcome outcome) {
  if (outcome.bytes.empty() && outcome.content_type == "application/json") outcome.bytes = "null";
  return outcome;
}

// No checkpoint is null.
std::string as_read(const std::string& checkpoint) {
  return checkpoint == "null" ? "" : wire::checkpoint_from_json(checkpoint);
}

// What may change is shown as it is now, and not as it was submitted.
Submission without_changes(Submission spec) {
  spec.priority = {};
  spec.retry = {};
  spec.timeouts = {};
  spec.timeout_is.reset();
  spec.system_is.reset();
  spec.run_at.reset();
  spec.tags.clear();
  spec.correlation_id.clear();
  spec.callback_url.clear();
  return spec;
}

void check_read(const Job& read, const Job& embedded) {
  BATON_ASSERT(read.id == embedded.id && read.profile == embedded.profile);
  BATON_ASSERT(read.state == embedded.state);
  BATON_ASSERT(read.canonical_state == embedded.canonical_state);
  BATON_ASSERT(read.priority == embedded.priority && read.tags == embedded.tags);
  BATON_ASSERT(read.correlation_id == embedded.correlation_id);
  BATON_ASSERT(read.callback_url == embedded.callback_url);
  BATON_ASSERT(read.retry.max_attempts == embedded.retry.max_attempts);
  BATON_ASSERT(read.retry.table == embedded.retry.table && read.timeouts == embedded.timeouts);
  BATON_ASSERT(read.max_attempts == embedded.max_attempts);
  BATON_ASSERT(read.max_retries == embedded.max_retries);
  BATON_ASSERT(read.created_at == embedded.created_at && read.run_at == embedded.run_at);
  BATON_ASSERT(read.started_at == embedded.started_at);
  BATON_ASSERT(read.progress == embedded.progress);
  BATON_ASSERT(read.progress_message == embedded.progress_message);
  BATON_ASSERT(read.last_error == embedded.last_error);
  BATON_ASSERT(read.checkpoint == as_read(embedded.checkpoint));
  BATON_ASSERT((read.result != nullptr) == (embedded.result != nullptr));
  if (read.result) BATON_ASSERT(*read.result == as_read(*embedded.result));
  Submission spec = without_changes(*embedded.spec);
  spec.payload = as_read(Outcome{spec.payload, spec.content_type}).bytes;
  BATON_ASSERT(without_changes(*read.spec) == spec);
}

template <class T>
std::string shown(const T& value) {
  std::string text;
  base::JsonWriter json(text);
  wire::write_answer(json, value);
  return text;
}

void check_shown(const std::shared_ptr<const store::JobRecord>& record) {
  const Job job = store::show(record);
  const auto read = client::read_bare_job(shown(job));
  BATON_ASSERT(read);
  check_read(*read, job);
  const Claimed claimed{.execution = execution_id(job.id, 1), .job = job};
  const auto claims = client::read_claims(R"({"executions":[)" + shown(claimed) + "]}");
  BATON_ASSERT(claims && claims->size() == 1);
  check_read(claims->front().job, job);
}

// Only a job that a store would make is ever shown.
void check_submitted(const api::SubmissionPtr& job, const WorkCall* call = nullptr) {
  const auto terms = lifecycle::accept(*job, {});
  if (!terms) {
    BATON_ASSERT(!terms.error().message.empty() && !terms.error().field.empty());
    return;
  }
  const auto made = std::make_shared<store::JobRecord>();
  store::JobRecord& record = *made;
  record.id = kJob;
  record.spec = job;
  record.facts.terms = &*terms;
  record.facts.state = JobState::kRunning;
  record.facts.priority = job->priority;
  record.facts.attempt = 1;
  record.facts.created_at = record.facts.updated_at = record.facts.started_at = kNow;
  record.labels = {job->tags, job->correlation_id, job->callback_url};
  if (call != nullptr) {
    if (const Outcome* result = store::result_of(*call)) record.result = *result;
    if (const auto* beat = store::part<HeartbeatCall>(*call)) {
      record.facts.progress = beat->progress.value_or(lifecycle::kNoProgress);
      record.progress_message = beat->message.value_or("");
      record.checkpoint = beat->checkpoint.value_or("");
    }
    if (const auto* nack = store::part<NackCall>(*call)) {
      record.last_failure = nack->failure;
      record.facts.failure_category = nack->failure.category;
    }
  }
  check_shown(made);
}

// ---- Bodies, and the requests that a client makes of them

// What was read of a body, if it was taken. A client's request for the same is read as the same.
template <class T>
std::optional<T> taken_again(std::string_view body) {
  const auto command = taken(wire::read_request<T>(body));
  if (!command) return std::nullopt;
  const auto again = taken(wire::read_request<T>(wire::request_text(*command)));
  BATON_ASSERT(again && same(*again, *command));
  return command;
}

template <class T>
void check_command(std::string_view body) {
  taken_again<T>(body);
}

void check_submission(std::string_view body) {
  const auto job = taken(api::decode_submission(body));
  if (!job) return;
  const auto again = taken(api::decode_submission(client::submit_request(**job).body));
  BATON_ASSERT(again && same(**again, **job));
  check_submitted(*job);
}

void check_batch(std::string_view body) {
  const auto batch = taken(api::decode_batch(body));
  if (!batch) return;
  BATON_ASSERT(batch->jobs.size() <= lifecycle::kMaxBatch);
  Batch asked{.atomic = batch->atomic, .chain = batch->chain};
  for (const auto& job : batch->jobs)
    asked.jobs.push_back(*job);
  const auto again = taken(api::decode_batch(client::batch_request(asked).body));
  BATON_ASSERT(again && same(again->jobs, batch->jobs));
  BATON_ASSERT(again->atomic == batch->atomic && again->chain == batch->chain);
}

void check_calls(std::span<const WorkCall> calls, const std::optional<ClaimRequest>& claim) {
  std::vector<std::string> ops;
  for (const WorkCall& call : calls) {
    // No client has a call without an execution.
    if (call.execution.is_nil()) return;
    auto op = client::op_of(call);
    if (!op) {
      // The call adds a level to what its worker nested as deeply as it may.
      BATON_ASSERT(op.error().message.ends_with("it is nested too deeply"));
      return;
    }
    ops.push_back(*std::move(op));
  }
  const auto again = taken(wire::read_request<Exchange>(client::exchange_request(ops, claim).body));
  BATON_ASSERT(again && again->calls.size() == calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i)
    BATON_ASSERT(same(again->calls[i], calls[i]));
  BATON_ASSERT(again->claim.has_value() == claim.has_value());
  if (claim) BATON_ASSERT(same(*again->claim, *claim));
}

template <CallKind kKind>
void check_call(std::string_view body) {
  const auto call = taken(api::decode_call(body, kKind, execution_id(kJob, 1)));
  if (!call) return;
  BATON_ASSERT(call->kind() == kKind);
  if (const auto* beat = store::part<HeartbeatCall>(*call)) {
    if (beat->checkpoint) BATON_ASSERT(!json::find_flaw(*beat->checkpoint));
    if (beat->progress) BATON_ASSERT(*beat->progress >= 0 && *beat->progress <= 100);
  }
  check_calls({&*call, 1}, std::nullopt);
  auto job = std::make_shared<Submission>();
  job->type = "t";
  job->payload = "null";
  check_submitted(job, &*call);
}

void check_work_batch(std::string_view body) {
  const auto batch = taken(wire::read_request<Exchange>(body));
  if (batch) check_calls(batch->calls, batch->claim);
}

// The settings as a queue has them afterwards, if a store would keep them.
void check_queue_shown(const QueueUpdate& update) {
  Queue view{.name = update.name};
  QueueSettings& settings = view.settings;
  if (update.profile) settings.profile = *update.profile;
  settings.retry = update.retry.value_or(settings.retry);
  settings.timeouts = update.timeouts.value_or(settings.timeouts);
  settings.timeout_is = update.timeout_is;
  settings.system_is = update.system_is;
  settings.max_payload_bytes = update.max_payload_bytes.value_or(settings.max_payload_bytes);
  settings.rate = update.rate;
  settings.paused = update.paused.value_or(false);
  if (const Status status = lifecycle::check_queue(settings); !status) {
    BATON_ASSERT(!status.error().message.empty());
    return;
  }
  view.counts.assign(kNames<JobState>.size(), 3);
  view.counts[0] = 0;
  const auto read = client::read_queue_answer(shown(view));
  BATON_ASSERT(read && read->name == view.name);
  BATON_ASSERT(read->settings == settings && read->counts == view.counts);
}

void check_queue(std::string_view body) {
  if (!taken(api::decode_queue(body, "q"))) return;
  check_queue_shown(*taken_again<QueueUpdate>(body));
}

void check_bulk(std::string_view body) {
  const auto bulk = taken(api::decode_bulk(body));
  if (!bulk) return;
  const store::ListJobs& filter = bulk->filter;
  BATON_ASSERT(filter.queue || filter.state || filter.canonical_state || filter.type ||
               filter.tag || filter.correlation_id || filter.account ||
               filter.created_after.is_set() || filter.created_before.is_set());
  BATON_ASSERT(filter.before_number >= 0);
  // Nothing is changed unless it was said in so many words.
  if (!bulk->dry_run) BATON_ASSERT(body.find("false") != std::string_view::npos);
}

using Kind = CallKind;

constexpr void (*kChecks[])(std::string_view body) = {
    check_submission,
    check_batch,
    check_command<ClaimRequest>,
    check_work_batch,
    check_command<CancelJob>,
    check_command<RejectJob>,
    check_command<PatchJob>,
    check_queue,
    check_command<GrantCredits>,
    check_bulk,
    check_call<Kind::kStart>,
    check_call<Kind::kHeartbeat>,
    check_call<Kind::kCommit>,
    check_call<Kind::kDone>,
    check_call<Kind::kAck>,
    check_call<Kind::kNack>,
    check_call<Kind::kReject>,
    check_call<Kind::kCancelled>,
    check_call<Kind::kSpawn>,
};

}  // namespace
}  // namespace baton::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton::fuzz;
  Draw draw(view_of(data, size));
  kChecks[draw.below(std::size(kChecks))](draw.rest());
  return 0;
}
