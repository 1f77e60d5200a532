#include "api/decode.h"
#include "api/decode_parts.h"
#include "api/filter.h"
#include "lifecycle/quota.h"

namespace baton::api {
namespace {

constexpr Member<CancelBody> kCancel[] = {
    {"force", [](Reader& r, CancelBody& out) { out.force = r.boolean(); }},
    {"reason", [](Reader& r, CancelBody& out) { out.reason = r.string(); }},
};

constexpr Member<std::string> kReject[] = {
    {"reason", [](Reader& r, std::string& out) { out = r.string(); }},
};

constexpr Member<PatchJob> kPatch[] = {
    {"priority", [](Reader& r, PatchJob& out) { out.priority = read_priority(r); }},
    {"tags", [](Reader& r, PatchJob& out) { out.tags = read_tags(r); }},
    {"correlation_id", [](Reader& r, PatchJob& out) { out.correlation_id = r.string(); }},
    {"callback_url", [](Reader& r, PatchJob& out) { out.callback_url = r.string(); }},
    {"version", [](Reader& r, PatchJob& out) { out.version = r.integer(); }},
};

constexpr Member<RateLimit> kRate[] = {
    {"per_second", [](Reader& r, RateLimit& out) { out.per_second = r.real(); }},
    {"burst", [](Reader& r, RateLimit& out) { out.burst = read_int(r); }},
};

constexpr Member<QueueUpdate> kRetention[] = {
    {"completed_ms", [](Reader& r, QueueUpdate& out) { out.keep_completed = read_ms(r); }},
    {"failed_ms", [](Reader& r, QueueUpdate& out) { out.keep_failed = read_ms(r); }},
};

// A limit, or null for none.
std::int64_t read_limit(Reader& reader) {
  return reader.is_null() ? -1 : reader.integer({0, INT64_MAX});
}

void read_profile(Reader& reader, QueueUpdate& out) {
  out.profile = lifecycle::find_profile(reader.string());
  if (out.profile != nullptr) return;
  std::string names;
  for (const lifecycle::Profile* profile : lifecycle::all_profiles())
    names += (names.empty() ? "" : ", ") + std::string(profile->name);
  reader.refuse("must be one of " + names);
}

void read_rate(Reader& reader, QueueUpdate& out) {
  out.rate.emplace();
  if (reader.is_null()) return;
  json::read_members<RateLimit>(reader, *out.rate, kRate);
  // The store takes a rate of nothing for none at all, which only null means here.
  if (reader.ok() && out.rate->per_second == 0) {
    reader.refuse_member("per_second", "must be greater than 0");
  }
}

constexpr Member<QueueUpdate> kQueue[] = {
    {"profile", read_profile},
    {"retry", [](Reader& r, QueueUpdate& out) { read_retry(r, out.retry.emplace()); }},
    {"timeouts",
     [](Reader& r, QueueUpdate& out) { read_timeouts(r, out.timeouts.emplace()); }},
    {"timeout_is",
     [](Reader& r, QueueUpdate& out) { out.timeout_is = read_word<FailureIs>(r); }},
    {"system_is",
     [](Reader& r, QueueUpdate& out) { out.system_is = read_word<FailureIs>(r); }},
    {"idempotency_window_ms",
     [](Reader& r, QueueUpdate& out) { out.idempotency_window = read_ms(r); }},
    {"max_payload_bytes",
     [](Reader& r, QueueUpdate& out) {
       out.max_payload_bytes = static_cast<std::size_t>(r.integer({0, INT64_MAX}));
     }},
    {"max_pending", [](Reader& r, QueueUpdate& out) { out.max_pending = read_limit(r); },
     true},
    {"max_running", [](Reader& r, QueueUpdate& out) { out.max_running = read_limit(r); },
     true},
    {"rate", read_rate, true},
    {"retention",
     [](Reader& r, QueueUpdate& out) {
       json::read_members<QueueUpdate>(r, out, kRetention);
     }},
    {"paused", [](Reader& r, QueueUpdate& out) { out.paused = r.boolean(); }},
};

struct GrantReading {
  GrantCredits grant;
  bool amount = false;
};

constexpr Member<GrantReading> kGrant[] = {
    {"amount",
     [](Reader& r, GrantReading& out) {
       out.amount = true;
       out.grant.amount = r.integer();
     }},
    {"tier", [](Reader& r, GrantReading& out) { out.grant.tier = read_word<Tier>(r); }},
    {"idempotency_key",
     [](Reader& r, GrantReading& out) { out.grant.idempotency_key = r.string(); }},
};

constexpr Member<store::ListJobs> kFilter[] = {
    {"queue", [](Reader& r, store::ListJobs& out) { out.queue = r.string(); }},
    {"state", [](Reader& r, store::ListJobs& out) { out.state = r.string(); }},
    {"canonical_state",
     [](Reader& r, store::ListJobs& out) { out.canonical_state = read_word<JobState>(r); }},
    {"type", [](Reader& r, store::ListJobs& out) { out.type = r.string(); }},
    {"tag",
     [](Reader& r, store::ListJobs& out) {
       const std::string text = r.string();
       const std::size_t colon = text.find(':');
       if (colon == std::string::npos) return r.refuse("must be key:value");
       out.tag.emplace(text.substr(0, colon), text.substr(colon + 1));
     }},
    {"correlation_id", [](Reader& r, store::ListJobs& out) { out.correlation_id = r.string(); }},
    {"account", [](Reader& r, store::ListJobs& out) { out.account = r.string(); }},
    {"created_after", [](Reader& r, store::ListJobs& out) { out.created_after = read_time(r); }},
    {"created_before", [](Reader& r, store::ListJobs& out) { out.created_before = read_time(r); }},
};

struct BulkReading {
  BulkBody body;
  std::string cursor;
  bool action = false;
};

// Whether every job passes. Members that are null do not make a filter.
bool lets_all_pass(const store::ListJobs& filter) {
  return !filter.queue && !filter.state && !filter.canonical_state && !filter.type && !filter.tag &&
         !filter.correlation_id && !filter.account && !filter.created_after.is_set() &&
         !filter.created_before.is_set();
}

void read_action(Reader& reader, BulkReading& out) {
  const std::string word = reader.string();
  out.action = true;
  if (word == "cancel") {
    out.body.action = BulkAction::kCancel;
  } else if (word == "retry") {
    out.body.action = BulkAction::kRetry;
  } else if (word == "delete") {
    out.body.action = BulkAction::kDelete;
  } else {
    reader.refuse("must be one of cancel, retry, delete");
  }
}

constexpr Member<BulkReading> kBulk[] = {
    {"action", read_action},
    {"filter",
     [](Reader& r, BulkReading& out) {
       json::read_members<store::ListJobs>(r, out.body.filter, kFilter);
     }},
    {"dry_run", [](Reader& r, BulkReading& out) { out.body.dry_run = r.boolean(); }},
    {"cursor", [](Reader& r, BulkReading& out) { out.cursor = r.string(); }},
};

}  // namespace

Result<CancelBody> decode_cancel(std::string_view body) {
  if (body.empty()) return CancelBody{};
  return read_document<CancelBody>(body, kCancel);
}

Result<std::string> decode_reject(std::string_view body) {
  if (body.empty()) return std::string();
  return read_document<std::string>(body, kReject);
}

Result<PatchJob> decode_patch(std::string_view body, const JobId& id) {
  PatchJob patch;
  patch.id = id;
  return read_document<PatchJob>(body, kPatch, std::move(patch));
}

Result<QueueUpdate> decode_queue(std::string_view body, std::string name) {
  QueueUpdate update;
  update.name = std::move(name);
  return read_document<QueueUpdate>(body, kQueue, std::move(update));
}

Result<GrantCredits> decode_grant(std::string_view body, std::string account) {
  auto read = read_document<GrantReading>(body, kGrant);
  if (!read) return read.error();
  if (!read->amount && !read->grant.tier) return missing("amount");
  read->grant.account = std::move(account);
  return std::move(read->grant);
}

Result<BulkBody> decode_bulk(std::string_view body) {
  auto read = read_document<BulkReading>(body, kBulk);
  if (!read) return read.error();
  if (!read->action) return missing("action");
  if (lets_all_pass(read->body.filter)) {
    return Error{Code::kBadRequest, "filter must not be empty", "filter", {}};
  }
  if (!read->cursor.empty()) {
    const auto number = parse_cursor(read->cursor);
    if (!number) return Error{Code::kBadRequest, "cursor is none", "cursor", {}};
    read->body.filter.before_number = *number;
  }
  return std::move(read->body);
}

}  // namespace baton::api
