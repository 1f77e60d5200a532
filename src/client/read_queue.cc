#include "client/read_queue.h"

#include "client/read_job.h"
#include "client/values.h"

namespace baton::client {
namespace {

constexpr Member<RateLimit> kRate[] = {
    {"per_second", [](Reader& r, RateLimit& out) { out.per_second = r.real(); }},
    {"burst", [](Reader& r, RateLimit& out) { out.burst = read_int(r); }},
};

constexpr Member<Queue> kRetention[] = {
    {"completed_ms", [](Reader& r, Queue& out) { out.keep_completed = read_ms(r); }},
    {"failed_ms", [](Reader& r, Queue& out) { out.keep_failed = read_ms(r); }},
};

void read_rate(Reader& reader, Queue& out) {
  read_known<RateLimit>(reader, out.rate.emplace(), kRate);
}

// By canonical state; a state that this client does not know is passed over.
void read_counts(Reader& reader, Queue& out) {
  reader.members([&](std::string_view name) {
    const auto state = parse<JobState>(name);
    if (state) out.counts[static_cast<std::size_t>(*state)] = reader.integer();
  });
}

constexpr Member<Queue> kQueue[] = {
    {"name", [](Reader& r, Queue& out) { out.name = r.string(); }},
    {"profile", [](Reader& r, Queue& out) { out.profile = r.string(); }},
    {"retry", [](Reader& r, Queue& out) { read_retry(r, out.retry); }},
    {"timeouts", [](Reader& r, Queue& out) { read_timeouts(r, out.timeouts); }},
    {"timeout_is", [](Reader& r, Queue& out) { out.timeout_is = read_word<FailureIs>(r); }},
    {"system_is", [](Reader& r, Queue& out) { out.system_is = read_word<FailureIs>(r); }},
    {"idempotency_window_ms", [](Reader& r, Queue& out) { out.idempotency_window = read_ms(r); }},
    {"max_payload_bytes",
     [](Reader& r, Queue& out) {
       out.max_payload_bytes = static_cast<std::size_t>(std::max<std::int64_t>(r.integer(), 0));
     }},
    {"max_pending", [](Reader& r, Queue& out) { out.max_pending = r.integer(); }},
    {"max_running", [](Reader& r, Queue& out) { out.max_running = r.integer(); }},
    {"rate", read_rate},
    {"retention", [](Reader& r, Queue& out) { read_known<Queue>(r, out, kRetention); }},
    {"paused", [](Reader& r, Queue& out) { out.paused = r.boolean(); }},
    {"draining", [](Reader& r, Queue& out) { out.draining = r.boolean(); }},
    {"counts", read_counts},
};

constexpr Member<Account> kAccount[] = {
    {"id", [](Reader& r, Account& out) { out.id = r.string(); }},
    {"tier", [](Reader& r, Account& out) { out.tier = read_word<Tier>(r); }},
    {"granted", [](Reader& r, Account& out) { out.balance.granted = r.integer(); }},
    {"available", [](Reader& r, Account& out) { out.balance.available = r.integer(); }},
    {"reserved", [](Reader& r, Account& out) { out.balance.reserved = r.integer(); }},
    {"captured", [](Reader& r, Account& out) { out.balance.captured = r.integer(); }},
    {"active_jobs", [](Reader& r, Account& out) { out.active_jobs = r.integer(); }},
};

constexpr Member<LedgerEntry> kLedgerEntry[] = {
    {"seq", [](Reader& r, LedgerEntry& out) { out.seq = r.integer(); }},
    {"kind", [](Reader& r, LedgerEntry& out) { out.kind = read_word<PostingKind>(r); }},
    {"amount", [](Reader& r, LedgerEntry& out) { out.amount = r.integer(); }},
    {"job_id", [](Reader& r, LedgerEntry& out) { out.job_id = r.string(); }},
    {"at", [](Reader& r, LedgerEntry& out) { out.at = read_time(r); }},
    {"available_after", [](Reader& r, LedgerEntry& out) { out.after.available = r.integer(); }},
    {"reserved_after", [](Reader& r, LedgerEntry& out) { out.after.reserved = r.integer(); }},
    {"captured_after", [](Reader& r, LedgerEntry& out) { out.after.captured = r.integer(); }},
    {"granted_after", [](Reader& r, LedgerEntry& out) { out.after.granted = r.integer(); }},
};

}  // namespace

void read_queue(Reader& reader, Queue& out) {
  out.counts.assign(kNames<JobState>.size(), 0);
  read_known<Queue>(reader, out, kQueue);
  need(reader, "name", !out.name.empty());
}
void read_account(Reader& reader, Account& out) {
  read_known<Account>(reader, out, kAccount);
  need(reader, "id", !out.id.empty());
}
void read_ledger_entry(Reader& reader, LedgerEntry& out) {
  read_known<LedgerEntry>(reader, out, kLedgerEntry);
}

}  // namespace baton::client
