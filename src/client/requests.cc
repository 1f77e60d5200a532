#include "client/requests.h"

#include <algorithm>

#include "base/hex.h"
#include "base/json_writer.h"
#include "base/time.h"
#include "json/flaw.h"
#include "wire/shapes.h"

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
  void add_if(std::string_view name, Time value) {
    if (value.is_set()) add(name, base::format_time(value));
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
  if (filter.parent) query.add("parent", to_string(*filter.parent));
  query.add_if("id_prefix", filter.id_prefix);
  if (filter.tag) query.add("tag", filter.tag->first + ":" + filter.tag->second);
  query.add_if("correlation_id", filter.correlation_id);
  query.add_if("account", filter.account);
  query.add_if("created_after", filter.created_after);
  query.add_if("created_before", filter.created_before);
  if (filter.redriven) query.add("redriven", name(*filter.redriven));
  if (!filter.cursor.empty()) query.add("cursor", filter.cursor);
  if (filter.limit != JobFilter{}.limit) query.add("limit", std::to_string(filter.limit));
  return query.text();
}

// The next page of a list of this path.
RawRequest page_request(std::string target, const std::string& cursor) {
  Query query;
  if (!cursor.empty()) query.add("cursor", cursor);
  return get(std::move(target) + query.text());
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
  RawRequest request = post(kJobs, wire::request_text(job));
  request.repeatable = job.idempotency_key.has_value();
  return request;
}

RawRequest batch_request(const Batch& batch) {
  RawRequest request = post(std::string(kJobs) + "/batch", wire::request_text(batch));
  request.repeatable = std::all_of(batch.jobs.begin(), batch.jobs.end(), [](const Submission& job) {
    return job.idempotency_key.has_value();
  });
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

RawRequest stats_request(const std::string& cursor) { return page_request("/v1/stats", cursor); }

RawRequest workers_request(const std::string& cursor) {
  return page_request("/v1/workers", cursor);
}

RawRequest cancel_request(const std::string& id, const CancelJob& command) {
  return post(path(kJobs, id) + "/cancel", wire::request_text(command));
}

RawRequest reject_request(const RejectJob& command) {
  return post(path(kJobs, to_string(command.id)) + "/reject", wire::request_text(command));
}

RawRequest submit_draft_request(const std::string& id) {
  return post(path(kJobs, id) + "/submit", "");
}

RawRequest patch_request(const PatchJob& command) {
  return {.method = "PATCH",
          .target = path(kJobs, to_string(command.id)),
          .body = wire::request_text(command)};
}

RawRequest redrive_request(const std::string& id, const RedriveJob& command) {
  return post(path(kJobs, id) + "/retry", wire::request_text(command));
}

RawRequest remove_request(const std::string& id) {
  return {.method = "DELETE", .target = path(kJobs, id)};
}

RawRequest queues_request(const std::string& cursor) { return page_request(kQueues, cursor); }
RawRequest queue_request(const std::string& name) { return get(path(kQueues, name)); }

RawRequest set_queue_request(const QueueUpdate& update) {
  // The same settings again change nothing.
  return {.method = "PUT",
          .target = path(kQueues, update.name),
          .body = wire::request_text(update),
          .repeatable = true};
}

RawRequest remove_queue_request(const std::string& name) {
  return {.method = "DELETE", .target = path(kQueues, name)};
}

RawRequest switch_queue_request(const std::string& name, std::string_view verb) {
  RawRequest request = post(path(kQueues, name) + "/" + std::string(verb), "");
  request.repeatable = true;
  return request;
}

RawRequest grant_request(const GrantCredits& command) {
  RawRequest request =
      post(path(kAccounts, command.account) + "/grant", wire::request_text(command));
  request.repeatable = !command.idempotency_key.empty();
  return request;
}

RawRequest account_request(const std::string& id) { return get(path(kAccounts, id)); }

RawRequest entries_request(const std::string& id, const std::string& cursor) {
  return page_request(path(kAccounts, id) + "/entries", cursor);
}

RawRequest claim_request(const ClaimRequest& claim) {
  RawRequest request = post("/v1/claims", wire::request_text(claim));
  request.wait = claim.wait;
  return request;
}

Result<std::string> op_of(const WorkCall& call) {
  std::string text = wire::request_text(call);
  if (const auto flaw = json::find_flaw(text)) {
    return Error{.code = Code::kInvalidJob,
                 .message = "the call cannot be sent: " + std::string(flaw->what)};
  }
  return text;
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
    json.raw(wire::request_text(*claim));
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
