#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/convert.h"
#include "lifecycle/profile.h"

namespace baton::engine {
namespace {

std::vector<std::pair<std::string, std::string>> inner(const Tags& tags) {
  return {tags.begin(), tags.end()};
}

Error no_such(const std::string& kind, const std::string& text) {
  return {.code = Code::kNotFound, .message = "there is no " + kind + " " + text};
}

Retry inner(const Retry& retry, const BackoffFunctions& functions) {
  Retry settings;
  settings.max_attempts = retry.max_attempts;
  settings.strategy = retry.strategy;
  settings.initial = retry.initial;
  settings.multiplier = retry.multiplier;
  settings.max = retry.max;
  settings.jitter = retry.jitter;
  settings.table = retry.table;
  settings.function_name = retry.function;
  settings.function = functions.find(retry.function);
  return settings;
}

Result<std::int64_t> parse_cursor(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end || number < 1) {
    return Error{
        .code = Code::kBadRequest, .message = "no list gave this cursor", .field = "cursor"};
  }
  return number;
}

}  // namespace

Result<JobId> job_id(const std::string& text) {
  const auto id = parse_job_id(text);
  if (!id) return no_such("job", text);
  return *id;
}

std::shared_ptr<const Submission> to_store(Submission job,
                                                  const BackoffFunctions& functions) {
  auto made = std::make_shared<Submission>();
  made->type = std::move(job.type);
  made->queue = std::move(job.queue);
  made->payload = std::move(job.payload);
  made->content_type = std::move(job.content_type);
  made->priority = job.priority;
  made->delay = job.delay;
  made->run_at = job.run_at;
  made->idempotency_key = std::move(job.idempotency_key);
  made->idempotency = job.idempotency;
  made->retry = inner(job.retry, functions);
  made->timeouts = job.timeouts;
  made->timeout_is = job.timeout_is;
  made->system_is = job.system_is;
  made->depends_on = std::move(job.depends_on);
  made->tags = inner(job.tags);
  made->correlation_id = std::move(job.correlation_id);
  made->callback_url = std::move(job.callback_url);
  made->account = std::move(job.account);
  made->cost = job.cost;
  made->draft = job.draft;
  made->traceparent = std::move(job.traceparent);
  made->ref = std::move(job.ref);
  return made;
}

Result<WorkCall> to_store(WorkCall call, const BackoffFunctions& functions) {
  const auto execution = parse_execution_id(call.execution_id);
  if (!execution) return no_such("execution", call.execution_id);
  const auto token = parse_lease_token(call.lease_token);
  if (!token) return Error{.code = Code::kStaleLease, .message = "nobody has this lease token"};
  WorkCall made;
  made.kind = call.kind;
  made.execution = *execution;
  made.token = *token;
  made.execution_limit = call.execution_limit;
  made.progress = call.progress;
  made.message = std::move(call.message);
  made.checkpoint = std::move(call.checkpoint);
  made.result = std::move(call.result);
  for (Submission& child : call.spawn)
    made.spawn.push_back(to_store(std::move(child), functions));
  made.failure = std::move(call.failure);
  made.retry_after = call.retry_after;
  return made;
}

ClaimRequest to_store(ClaimRequest request) {
  return {std::move(request.queues), std::move(request.types), request.max,
          std::move(request.worker), request.lease};
}

Result<CancelJob> to_store(CancelJob command) {
  const auto id = job_id(command.id);
  if (!id) return id.error();
  return CancelJob{*id, command.force, std::move(command.reason)};
}

Result<RejectJob> to_store(RejectJob command) {
  const auto id = job_id(command.id);
  if (!id) return id.error();
  return RejectJob{*id, std::move(command.reason)};
}

Result<PatchJob> to_store(PatchJob command) {
  const auto id = job_id(command.id);
  if (!id) return id.error();
  PatchJob made;
  made.id = *id;
  made.priority = command.priority;
  if (command.tags) made.tags = inner(*command.tags);
  made.correlation_id = std::move(command.correlation_id);
  made.callback_url = std::move(command.callback_url);
  made.version = command.version;
  return made;
}

Result<store::ListJobs> to_store(JobFilter filter) {
  store::ListJobs made;
  made.queue = std::move(filter.queue);
  made.state = std::move(filter.state);
  made.canonical_state = filter.canonical_state;
  made.type = std::move(filter.type);
  made.tag = std::move(filter.tag);
  made.correlation_id = std::move(filter.correlation_id);
  made.account = std::move(filter.account);
  if (filter.created_after) made.created_after = *filter.created_after;
  if (filter.created_before) made.created_before = *filter.created_before;
  made.limit = filter.limit;
  if (filter.cursor.empty()) return made;
  const auto number = parse_cursor(filter.cursor);
  if (!number) return number.error();
  made.before_number = *number;
  return made;
}

Result<QueueUpdate> to_store(QueueUpdate update, const BackoffFunctions& functions) {
  QueueUpdate made;
  made.name = std::move(update.name);
  if (update.profile) {
    made.profile = lifecycle::find_profile(*update.profile);
    if (made.profile == nullptr) {
      return Error{.code = Code::kInvalidJob,
                   .message = "there is no profile called " + *update.profile,
                   .field = "profile"};
    }
  }
  if (update.retry) made.retry = inner(*update.retry, functions);
  made.timeouts = update.timeouts;
  made.timeout_is = update.timeout_is;
  made.system_is = update.system_is;
  made.idempotency_window = update.idempotency_window;
  made.max_payload_bytes = update.max_payload_bytes;
  made.max_pending = update.max_pending;
  made.max_running = update.max_running;
  made.rate = update.rate;
  made.keep_completed = update.keep_completed;
  made.keep_failed = update.keep_failed;
  made.paused = update.paused;
  made.draining = update.draining;
  return made;
}

GrantCredits to_store(GrantCredits command) {
  return {std::move(command.account), command.amount, command.tier,
          std::move(command.idempotency_key)};
}

}  // namespace baton::engine
