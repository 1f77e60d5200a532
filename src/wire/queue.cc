// Queues, what is counted, and accounts.
#include "wire/shapes.h"

namespace baton::wire {
namespace {

constexpr Row<RateLimit> kRate[] = {
    always<&RateLimit::per_second>("per_second"),
    always<&RateLimit::burst>("burst"),
};

// ---- Retention is an object of its own, and two members of the settings

template <class T>
constexpr Row<T> kRetention[] = {
    field<&T::keep_completed>("completed_ms"),
    field<&T::keep_failed>("failed_ms"),
};

template <class T>
void read_retention(RowInput& in, T& out) {
  read_rows<T>(in, out, kRetention<T>);
}
template <class T>
void write_retention(RowOutput& out, std::string_view name, const T& settings) {
  out.key(name);
  out.json.begin_object();
  write_rows<T>(out, settings, kRetention<T>);
  out.json.end_object();
}

// ---- What changes in a queue

// A limit, or null to take it away, which is a negative number here.
template <auto Limit>
void read_limit(RowInput& in, QueueUpdate& out) {
  out.*Limit = in.json.is_null() ? -1 : in.json.integer({0, INT64_MAX});
}
template <auto Limit>
void write_limit(RowOutput& out, std::string_view name, const QueueUpdate& update) {
  const std::optional<std::int64_t>& limit = update.*Limit;
  if (!limit) return;
  out.key(name);
  *limit < 0 ? out.json.null() : out.json.number(*limit);
}
template <auto Limit>
constexpr Row<QueueUpdate> limit(std::string_view name) {
  return {name, read_limit<Limit>, write_limit<Limit>, kNullIsAValue};
}

// The store takes a rate of nothing for none at all, which only null means here.
void read_rate(RowInput& in, QueueUpdate& out) {
  out.rate.emplace();
  if (in.json.is_null()) return;
  read_value(in, *out.rate);
  if (in.json.ok() && out.rate->per_second == 0) {
    in.json.refuse_member("per_second", "must be greater than 0");
  }
}
void write_rate(RowOutput& out, std::string_view name, const QueueUpdate& update) {
  if (!update.rate) return;
  out.key(name);
  update.rate->per_second == 0 ? out.json.null() : write_value(out, *update.rate);
}

void write_new_retention(RowOutput& out, std::string_view name, const QueueUpdate& update) {
  if (update.keep_completed || update.keep_failed) write_retention(out, name, update);
}

// Draining is no setting over HTTP but a verb of its own.
constexpr Row<QueueUpdate> kUpdate[] = {
    field<&QueueUpdate::profile>("profile"),
    field<&QueueUpdate::retry>("retry"),
    field<&QueueUpdate::timeouts>("timeouts"),
    field<&QueueUpdate::timeout_is>("timeout_is"),
    field<&QueueUpdate::system_is>("system_is"),
    field<&QueueUpdate::idempotency_window>("idempotency_window_ms"),
    field<&QueueUpdate::max_payload_bytes>("max_payload_bytes"),
    limit<&QueueUpdate::max_pending>("max_pending"),
    limit<&QueueUpdate::max_running>("max_running"),
    {"rate", read_rate, write_rate, kNullIsAValue},
    {"retention", read_retention<QueueUpdate>, write_new_retention},
    field<&QueueUpdate::paused>("paused"),
};

// ---- What a queue is

// A state that this reader does not know is passed over.
template <class T>
void read_counts(RowInput& in, T& out) {
  out.counts.assign(kNames<JobState>.size(), 0);
  in.json.members([&](std::string_view name) {
    const auto state = parse<JobState>(name);
    if (state) out.counts[static_cast<std::size_t>(*state)] = in.json.integer();
  });
}

// Guards are still to come.
void write_guards(RowOutput& out, std::string_view name, const Queue&) {
  out.key(name);
  out.json.begin_object();
  out.json.end_object();
}

using Set = QueueSettings;

constexpr Row<Queue> kQueue[] = {
    always<&Queue::name>("name", kRequired),
    always<&Queue::settings, &Set::profile>("profile"),
    field<&Queue::settings, &Set::retry>("retry"),
    field<&Queue::settings, &Set::timeouts>("timeouts"),
    field<&Queue::settings, &Set::timeout_is>("timeout_is"),
    field<&Queue::settings, &Set::system_is>("system_is"),
    field<&Queue::settings, &Set::idempotency_window>("idempotency_window_ms"),
    field<&Queue::settings, &Set::max_payload_bytes>("max_payload_bytes"),
    field<&Queue::settings, &Set::max_pending>("max_pending"),
    field<&Queue::settings, &Set::max_running>("max_running"),
    field<&Queue::settings, &Set::rate>("rate"),
    {"retention", [](RowInput& in, Queue& out) { read_retention(in, out.settings); },
     [](RowOutput& out, std::string_view name, const Queue& queue) {
       write_retention(out, name, queue.settings);
     }},
    {"guards", nullptr, write_guards},
    field<&Queue::settings, &Set::paused>("paused"),
    field<&Queue::settings, &Set::draining>("draining"),
    {"counts", read_counts<Queue>,
     [](RowOutput& out, std::string_view name, const Queue& queue) {
       out.key(name);
       write_counts(out.json, queue.counts);
     }},
};

// Of a queue without counts, too, each can be asked for.
void check_queue(RowInput& in, Queue& out, const Found&) {
  if (out.name.empty()) in.json.refuse_member("name", "is missing");
  out.counts.resize(kNames<JobState>.size());
}

constexpr Row<Stats> kStats[] = {
    {"live_jobs", read_member<&Stats::live_jobs>, nullptr, kRequired},
    {"queues", read_member<&Stats::queues>},
    {"counts", read_counts<Stats>},
};

// ---- Accounts

constexpr Row<Account> kAccount[] = {
    always<&Account::id>("id", kRequired),
    field<&Account::tier>("tier"),
    field<&Account::balance, &Balance::available>("available"),
    field<&Account::balance, &Balance::reserved>("reserved"),
    field<&Account::balance, &Balance::captured>("captured"),
    field<&Account::balance, &Balance::granted>("granted"),
    field<&Account::active_jobs>("active_jobs"),
};

constexpr Row<GrantCredits> kGrant[] = {
    always<&GrantCredits::amount>("amount"),
    field<&GrantCredits::tier>("tier"),
    field<&GrantCredits::idempotency_key>("idempotency_key"),
};

void check_grant(RowInput& in, GrantCredits& out, const Found& found) {
  if (found.given[place_of<GrantCredits>(kGrant, "amount")] || out.tier) return;
  in.json.refuse_member("amount", "is required");
}

constexpr Row<LedgerEntry> kEntry[] = {
    field<&LedgerEntry::seq>("seq"),
    field<&LedgerEntry::kind>("kind"),
    field<&LedgerEntry::amount>("amount"),
    field<&LedgerEntry::job>("job_id"),
    field<&LedgerEntry::at>("at"),
    field<&LedgerEntry::after, &Balance::available>("available_after"),
    field<&LedgerEntry::after, &Balance::reserved>("reserved_after"),
};

}  // namespace

void write_counts(base::JsonWriter& json, const std::vector<std::int64_t>& counts) {
  json.begin_object();
  for (std::size_t i = 1; i < counts.size(); ++i) {
    json.key(name(static_cast<JobState>(i)));
    json.number(counts[i]);
  }
  json.end_object();
}

// clang-format off
template <> Table<RateLimit> table_of<RateLimit>() { return {kRate}; }
template <> Table<QueueUpdate> table_of<QueueUpdate>() { return {kUpdate}; }
template <> Table<Queue> table_of<Queue>() { return {kQueue, check_queue}; }
template <> Table<Stats> table_of<Stats>() { return {kStats}; }
template <> Table<Account> table_of<Account>() { return {kAccount}; }
template <> Table<GrantCredits> table_of<GrantCredits>() { return {kGrant, check_grant}; }
template <> Table<LedgerEntry> table_of<LedgerEntry>() { return {kEntry}; }
// clang-format on

}  // namespace baton::wire
