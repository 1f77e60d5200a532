#include "as_client.h"

#include <algorithm>

#include "base/assert.h"
#include "engine/convert.h"
#include "lifecycle/validate.h"

namespace baton::fuzz {
namespace {

using TagList = std::vector<std::pair<std::string, std::string>>;

template <class To, class From>
std::optional<To> word(const std::optional<From>& value) {
  return value ? std::optional(static_cast<To>(*value)) : std::nullopt;
}

Duration outer(Duration duration) { return Duration(duration.ms); }
std::optional<Duration> outer(const std::optional<Duration>& duration) {
  return duration ? std::optional(outer(*duration)) : std::nullopt;
}

Tags outer(const TagList& tags) { return {tags.begin(), tags.end()}; }

Retry outer(const Retry& settings) {
  Submission job;
  job.retry = settings;
  return as_client(job).retry;
}

Timeouts outer(const Timeouts& settings) {
  return {outer(settings.execution), outer(settings.lease), outer(settings.lifetime)};
}

TagList in_order(const TagList& tags) {
  const Tags sorted = outer(tags);
  return {sorted.begin(), sorted.end()};
}

const lifecycle::Terms& any_terms() {
  static const lifecycle::Terms terms = [] {
    Submission job;
    job.type = "t";
    job.payload = "null";
    return lifecycle::accept(job, {}).value();
  }();
  return terms;
}

}  // namespace

Submission as_client(const Submission& job) {
  store::JobRecord record;
  record.spec = std::make_shared<const Submission>(job);
  record.facts.terms = &any_terms();
  record.facts.priority = job.priority;
  record.labels = {job.tags, job.correlation_id, job.callback_url};
  return engine::from_store(record).spec;
}

Batch as_client(const store::SubmitBatch& batch) {
  Batch made{.atomic = batch.atomic, .chain = batch.chain};
  for (const auto& job : batch.jobs)
    made.jobs.push_back(as_client(*job));
  return made;
}

WorkCall as_client(const WorkCall& call) {
  WorkCall made;
  made.kind = static_cast<CallKind>(call.kind);
  made.execution_id = to_string(call.execution);
  made.lease_token = to_string(call.token);
  made.execution_limit = outer(call.execution_limit);
  made.progress = call.progress;
  made.message = call.message;
  made.checkpoint = call.checkpoint;
  if (call.result) made.result = Outcome{call.result->bytes, call.result->content_type};
  for (const auto& job : call.spawn)
    made.spawn.push_back(as_client(*job));
  made.failure = {.category = static_cast<FailureCategory>(call.failure.category),
                  .code = call.failure.code,
                  .message = call.failure.message,
                  .cause = call.failure.cause};
  made.retry_after = outer(call.retry_after);
  return made;
}

ClaimRequest as_client(const api::ClaimBody& claim) {
  return {.queues = claim.request.queues,
          .types = claim.request.types,
          .max = claim.request.max,
          .worker = claim.request.worker,
          .lease = outer(claim.request.lease),
          .wait = outer(claim.wait)};
}

CancelJob as_client(const api::CancelBody& cancel) {
  return {.id = "j", .force = cancel.force, .reason = cancel.reason};
}

PatchJob as_client(const PatchJob& patch) {
  PatchJob made{.id = to_string(patch.id), .priority = word<Priority>(patch.priority)};
  if (patch.tags) made.tags = outer(*patch.tags);
  made.correlation_id = patch.correlation_id;
  made.callback_url = patch.callback_url;
  made.version = patch.version;
  return made;
}

QueueUpdate as_client(const QueueUpdate& update) {
  QueueUpdate made{.name = update.name};
  if (update.profile != nullptr) made.profile = std::string(update.profile->name);
  if (update.retry) made.retry = outer(*update.retry);
  if (update.timeouts) made.timeouts = outer(*update.timeouts);
  made.timeout_is = word<FailureIs>(update.timeout_is);
  made.system_is = word<FailureIs>(update.system_is);
  made.idempotency_window = outer(update.idempotency_window);
  made.max_payload_bytes = update.max_payload_bytes;
  made.max_pending = update.max_pending;
  made.max_running = update.max_running;
  if (update.rate) made.rate = RateLimit{update.rate->per_second, update.rate->burst};
  made.keep_completed = outer(update.keep_completed);
  made.keep_failed = outer(update.keep_failed);
  made.paused = update.paused;
  return made;
}

GrantCredits as_client(const GrantCredits& grant) {
  return {.account = grant.account,
          .amount = grant.amount,
          .tier = word<Tier>(grant.tier),
          .idempotency_key = grant.idempotency_key};
}

bool same(Submission a, Submission b) {
  for (Submission* each : {&a, &b}) {
    each->tags = in_order(each->tags);
    if (each->payload.empty() && each->content_type == "application/json") each->payload = "null";
  }
  return a == b;
}

bool same(const std::vector<api::SubmissionPtr>& a, const std::vector<api::SubmissionPtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same(*x, *y); });
}

bool same(const WorkCall& a, const WorkCall& b) {
  return a.kind == b.kind && a.execution == b.execution && a.token == b.token &&
         a.execution_limit == b.execution_limit && a.progress == b.progress &&
         a.message == b.message && a.checkpoint == b.checkpoint && a.result == b.result &&
         same(a.spawn, b.spawn) && a.failure == b.failure && a.retry_after == b.retry_after;
}

bool same(const api::ClaimBody& a, const api::ClaimBody& b) {
  return a.request.queues == b.request.queues && a.request.types == b.request.types &&
         a.request.max == b.request.max && a.request.worker == b.request.worker &&
         a.request.lease == b.request.lease && a.wait == b.wait;
}

bool same(const PatchJob& a, const PatchJob& b) {
  const bool same_tags = a.tags.has_value() == b.tags.has_value() &&
                         (!a.tags || in_order(*a.tags) == in_order(*b.tags));
  return same_tags && a.id == b.id && a.priority == b.priority &&
         a.correlation_id == b.correlation_id && a.callback_url == b.callback_url &&
         a.version == b.version;
}

bool same(const QueueUpdate& a, const QueueUpdate& b) {
  return a.name == b.name && a.profile == b.profile && a.retry == b.retry &&
         a.timeouts == b.timeouts && a.timeout_is == b.timeout_is && a.system_is == b.system_is &&
         a.idempotency_window == b.idempotency_window &&
         a.max_payload_bytes == b.max_payload_bytes && a.max_pending == b.max_pending &&
         a.max_running == b.max_running && a.rate == b.rate &&
         a.keep_completed == b.keep_completed && a.keep_failed == b.keep_failed &&
         a.paused == b.paused && a.draining == b.draining;
}

bool same(const GrantCredits& a, const GrantCredits& b) {
  return a.account == b.account && a.amount == b.amount && a.tier == b.tier &&
         a.idempotency_key == b.idempotency_key;
}

}  // namespace baton::fuzz
