#include "client/requests.h"

#include "base/hex.h"
#include "base/json_writer.h"
#include "base/time.h"
#include "client/write_submission.h"
#include "client/write_work.h"

namespace baton::client {
namespace {

using base::JsonWriter;

constexpr char kJobs[] = "/v1/jobs";
constexpr char kQueues[] = "/v1/queues";
constexpr char kAccounts[] = "/v1/accounts";

std::string path(const char* list, const std::string& id) {
  return std::string(list) + "/" + percent_encoded(id);
}

RawRequest get(std::string target) { return {.target = std::move(target), .repeatable = true}; }

RawRequest post(std::string target, std::string body = "{}") {
  return {.method = "POST", .target = std::move(target), .body = std::move(body)};
}

// The parts of a query, each with its sign before it.
class Query {
 public:
  void add(std::string_view name, std::string_view value) {
    text_ += text_.empty() ? '?' : '&';
    text_ += name;
    text_ += '=';
    text_ += percent_encoded(value);
  }
  void add_if(std::string_view name, const std::optional<std::string>& value) {
    if (value) add(name, *value);
  }
  void add_if(std::string_view name, const std::optional<Time>& value) {
    if (value) add(name, base::format_time(*value));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string query_of(const JobFilter& filter) {
  Query query;
  query.add_if("queue", filter.queue);
  query.add_if("state", filter.state);
  if (filter.canonical_state) query.add("canonical_state", name(*filter.canonical_state));
  query.add_if("type", filter.type);
  if (filter.tag) query.add("tag", filter.tag->first + ":" + filter.tag->second);
  query.add_if("correlation_id", filter.correlation_id);
  query.add_if("account", filter.account);
  query.add_if("created_after", filter.created_after);
  query.add_if("created_before", filter.created_before);
  if (!filter.cursor.empty()) query.add("cursor", filter.cursor);
  if (filter.limit != JobFilter{}.limit) query.add("limit", std::to_string(filter.limit));
  return query.text();
}

std::string reason_body(const std::string& reason) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("reason");
  json.string(reason);
  json.end_object();
  return body;
}

template <class T>
void write_number(JsonWriter& json, std::string_view key, const std::optional<T>& value) {
  if (!value) return;
  json.key(key);
  json.number(static_cast<std::int64_t>(*value));
}

// A negative number takes a limit away, which is null on the wire.
void write_limit(JsonWriter& json, std::string_view key, const std::optional<std::int64_t>& limit) {
  if (!limit) return;
  json.key(key);
  *limit < 0 ? json.null() : json.number(*limit);
}

void write_rate(JsonWriter& json, const std::optional<RateLimit>& rate) {
  if (!rate) return;
  json.key("rate");
  if (rate->per_second == 0) return json.null();
  json.begin_object();
  json.key("per_second");
  json.real(rate->per_second);
  json.key("burst");
  json.number(rate->burst);
  json.end_object();
}

void write_retention(JsonWriter& json, const QueueUpdate& update) {
  if (!update.keep_completed && !update.keep_failed) return;
  json.key("retention");
  json.begin_object();
  if (update.keep_completed) {
    json.key("completed_ms");
    json.number(update.keep_completed->ms);
  }
  if (update.keep_failed) {
    json.key("failed_ms");
    json.number(update.keep_failed->ms);
  }
  json.end_object();
}

void write_flag(JsonWriter& json, std::string_view key, const std::optional<bool>& flag) {
  if (!flag) return;
  json.key(key);
  json.boolean(*flag);
}

void write_queue_rules(JsonWriter& json, const QueueUpdate& update) {
  if (update.retry) {
    json.key("retry");
    write_retry(json, *update.retry);
  }
  if (update.timeouts) {
    json.key("timeouts");
    write_timeouts(json, *update.timeouts);
  }
  if (update.timeout_is) {
    json.key("timeout_is");
    json.string(name(*update.timeout_is));
  }
  if (update.system_is) {
    json.key("system_is");
    json.string(name(*update.system_is));
  }
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      encoded += '%';
      base::append_hex(encoded, static_cast<std::uint8_t>(c), base::kUpperHex);
    }
  }
  return encoded;
}

RawRequest submit_request(const Submission& job) {
  std::string body;
  JsonWriter json(body);
  write_submission(json, job);
  RawRequest request = post(kJobs, std::move(body));
  request.repeatable = job.idempotency_key.has_value();
  return request;
}

RawRequest batch_request(const Batch& batch) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("jobs");
  json.begin_array();
  bool repeatable = true;
  for (const Submission& job : batch.jobs) {
    write_submission(json, job);
    repeatable = repeatable && job.idempotency_key.has_value();
  }
  json.end_array();
  json.key("atomic");
  json.boolean(batch.atomic);
  json.key("chain");
  json.boolean(batch.chain);
  json.end_object();
  RawRequest request = post(std::string(kJobs) + "/batch", std::move(body));
  request.repeatable = repeatable;
  return request;
}

RawRequest batch_request(const std::vector<std::string>& submissions, bool atomic) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("jobs");
  json.begin_array();
  for (const std::string& job : submissions)
    json.raw(job);
  json.end_array();
  json.key("atomic");
  json.boolean(atomic);
  json.end_object();
  return post(std::string(kJobs) + "/batch", std::move(body));
}

RawRequest get_request(const std::string& id) { return get(path(kJobs, id)); }

RawRequest part_request(const std::string& id, std::string_view part) {
  return get(path(kJobs, id) + "/" + std::string(part));
}

RawRequest wait_request(const std::string& id, Duration timeout) {
  RawRequest request = get(path(kJobs, id) + "/wait?timeout_ms=" + std::to_string(timeout.ms));
  request.wait = timeout;
  return request;
}

RawRequest list_request(const JobFilter& filter) { return get(kJobs + query_of(filter)); }

RawRequest dead_letters_request(const JobFilter& filter) {
  return get("/v1/dead-letters" + query_of(filter));
}

RawRequest stats_request(const std::string& cursor) {
  Query query;
  if (!cursor.empty()) query.add("cursor", cursor);
  return get("/v1/stats" + query.text());
}

RawRequest cancel_request(const CancelJob& command) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("force");
  json.boolean(command.force);
  if (!command.reason.empty()) {
    json.key("reason");
    json.string(command.reason);
  }
  json.end_object();
  return post(path(kJobs, command.id) + "/cancel", std::move(body));
}

RawRequest reject_request(const RejectJob& command) {
  return post(path(kJobs, command.id) + "/reject", reason_body(command.reason));
}

RawRequest submit_draft_request(const std::string& id) {
  return post(path(kJobs, id) + "/submit", "");
}

RawRequest patch_request(const PatchJob& command) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  if (command.priority) {
    json.key("priority");
    json.string(name(*command.priority));
  }
  if (command.tags) {
    json.key("tags");
    write_tags(json, *command.tags);
  }
  if (command.correlation_id) {
    json.key("correlation_id");
    json.string(*command.correlation_id);
  }
  if (command.callback_url) {
    json.key("callback_url");
    json.string(*command.callback_url);
  }
  write_number(json, "version", command.version);
  json.end_object();
  return {.method = "PATCH", .target = path(kJobs, command.id), .body = std::move(body)};
}

RawRequest redrive_request(const std::string& id) { return post(path(kJobs, id) + "/retry", ""); }

RawRequest remove_request(const std::string& id) {
  return {.method = "DELETE", .target = path(kJobs, id)};
}

RawRequest queues_request(const std::string& cursor) {
  Query query;
  if (!cursor.empty()) query.add("cursor", cursor);
  return get(kQueues + query.text());
}
RawRequest queue_request(const std::string& name) { return get(path(kQueues, name)); }

RawRequest set_queue_request(const QueueUpdate& update) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  if (update.profile) {
    json.key("profile");
    json.string(*update.profile);
  }
  write_queue_rules(json, update);
  if (update.idempotency_window) {
    json.key("idempotency_window_ms");
    json.number(update.idempotency_window->ms);
  }
  write_number(json, "max_payload_bytes", update.max_payload_bytes);
  write_limit(json, "max_pending", update.max_pending);
  write_limit(json, "max_running", update.max_running);
  write_rate(json, update.rate);
  write_retention(json, update);
  write_flag(json, "paused", update.paused);
  json.end_object();
  // The same settings again change nothing.
  return {.method = "PUT",
          .target = path(kQueues, update.name),
          .body = std::move(body),
          .repeatable = true};
}

RawRequest switch_queue_request(const std::string& name, std::string_view verb) {
  RawRequest request = post(path(kQueues, name) + "/" + std::string(verb), "");
  request.repeatable = true;
  return request;
}

RawRequest grant_request(const GrantCredits& command) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("amount");
  json.number(command.amount);
  if (command.tier) {
    json.key("tier");
    json.string(name(*command.tier));
  }
  if (!command.idempotency_key.empty()) {
    json.key("idempotency_key");
    json.string(command.idempotency_key);
  }
  json.end_object();
  RawRequest request = post(path(kAccounts, command.account) + "/grant", std::move(body));
  request.repeatable = !command.idempotency_key.empty();
  return request;
}

RawRequest account_request(const std::string& id) { return get(path(kAccounts, id)); }

RawRequest entries_request(const std::string& id, const std::string& cursor) {
  Query query;
  if (!cursor.empty()) query.add("cursor", cursor);
  return get(path(kAccounts, id) + "/entries" + query.text());
}

RawRequest claim_request(const ClaimRequest& claim) {
  std::string body;
  JsonWriter json(body);
  write_claim(json, claim);
  RawRequest request = post("/v1/claims", std::move(body));
  request.wait = claim.wait;
  return request;
}

RawRequest exchange_request(const std::vector<std::string>& ops,
                            const std::optional<ClaimRequest>& claim) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("ops");
  json.begin_array();
  for (const std::string& op : ops)
    json.raw(op);
  json.end_array();
  if (claim) {
    json.key("claim");
    write_claim(json, *claim);
  }
  json.end_object();
  RawRequest request = post("/v1/executions/batch", std::move(body));
  // Every call has a lease token; and a claim that was made without our knowing is no worse than
  // one that is made after the worker has waited for a while.
  request.repeatable = true;
  if (claim) request.wait = claim->wait;
  return request;
}

}  // namespace baton::client
