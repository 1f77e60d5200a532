#include "store/local/codec/change_codec.h"

#include <algorithm>

#include "base/assert.h"
#include "store/local/codec/job_change_codec.h"
#include "store/local/codec/settings_codec.h"
#include "store/local/codec/text_codec.h"

namespace baton::store::local {
namespace {

using lifecycle::GroupCount;

// The kind of a change: its place in RowChange. Written to disk: do not renumber.
enum class Kind : std::uint8_t {
  kJob = 0,
  kJobGone = 1,
  kWaitOver = 2,
  kQueue = 3,
  kAccount = 4,
  kAudit = 5,
};
constexpr std::size_t kKinds = 6;
static_assert(std::variant_size_v<RowChange> == kKinds);

constexpr std::uint8_t kAllowFailures = 1;
constexpr std::uint8_t kHasEntry = 1;
constexpr std::uint8_t kHasGrantKey = 2;
constexpr std::uint8_t kHasJob = 4;
constexpr std::uint8_t kHasSubmitted = 8;
constexpr std::size_t kGroupBytes = 5;
constexpr std::size_t kWaitBytes = kIdBytes + 2;

void write(ByteWriter& out, const GroupCount& group) {
  out.enumerator(group.type);
  out.byte(group.allow_failures ? kAllowFailures : 0);
  out.signed_number(group.total);
  out.signed_number(group.ended);
  out.enumerator(group.first_bad);
}

GroupCount read_group(ByteReader& in) {
  GroupCount group;
  group.type = in.enumerator<DependencyType>();
  group.allow_failures = in.byte_below(2) == kAllowFailures;
  group.total = in.small_number();
  group.ended = in.small_number();
  group.first_bad = in.enumerator<JobState>();
  return group;
}

void write(ByteWriter& out, const Balance& balance) {
  out.number(balance.granted);
  out.number(balance.available);
  out.number(balance.reserved);
  out.number(balance.captured);
}

Balance read_balance(ByteReader& in) {
  Balance balance;
  balance.granted = in.number();
  balance.available = in.number();
  balance.reserved = in.number();
  balance.captured = in.number();
  return balance;
}

void write(ByteWriter& out, const LedgerEntry& entry, Time at) {
  out.number(entry.seq);
  out.enumerator(entry.kind);
  out.number(entry.amount);
  if (!entry.job.is_nil()) write(out, entry.job);
  out.time(entry.at, at);
  write(out, entry.after);
}

LedgerEntry read_entry(ByteReader& in, Time at, bool has_job) {
  LedgerEntry entry;
  entry.seq = in.number();
  entry.kind = in.enumerator<PostingKind>();
  entry.amount = in.number();
  if (has_job) entry.job = read_id(in);
  entry.at = in.time(at);
  entry.after = read_balance(in);
  return entry;
}

void write(ByteWriter& out, const WaitOver& change) {
  write(out, change.job);
  out.varint(change.group);
  write(out, change.ended);
  write(out, change.count);
  write(out, change.children);
}

WaitOver read_wait_over(ByteReader& in) {
  WaitOver change;
  change.job = read_id(in);
  change.group = in.index();
  change.ended = read_id(in);
  change.count = read_group(in);
  change.children = read_ids(in);
  return change;
}

void write(ByteWriter& out, const AccountChange& change, Time at) {
  BATON_ASSERT(!change.hour);
  const bool has_job = change.entry && !change.entry->job.is_nil();
  out.byte(static_cast<std::uint8_t>(
      (change.entry ? kHasEntry : 0) | (change.grant_key.empty() ? 0 : kHasGrantKey) |
      (has_job ? kHasJob : 0) | (change.submitted.is_set() ? kHasSubmitted : 0)));
  out.text(change.account.id);
  out.enumerator(change.account.tier);
  write(out, change.account.balance);
  out.number(change.account.active_jobs);
  if (change.entry) write(out, *change.entry, at);
  if (!change.grant_key.empty()) out.text(change.grant_key);
  if (change.submitted.is_set()) out.time(change.submitted, at);
}

AccountChange read_account_change(ByteReader& in, const TurnHead& head) {
  const Time at = head.at;
  const bool has_hour = head.version < kTurnOfAdditions;
  AccountChange change;
  const std::uint8_t has = in.byte_below(has_hour ? kHasSubmitted : 2 * kHasSubmitted);
  change.account.id = in.text();
  change.account.tier = in.enumerator<Tier>();
  change.account.balance = read_balance(in);
  change.account.active_jobs = in.number();
  if (has & kHasEntry) change.entry = read_entry(in, at, (has & kHasJob) != 0);
  if (has & kHasGrantKey) change.grant_key = in.text();
  if (has & kHasSubmitted) change.submitted = in.time(at);
  if (has_hour) change.hour = read_times(in, at);
  return change;
}

void write(ByteWriter& out, const AuditRecord& record, Time at) {
  out.text(record.action);
  write(out, record.job);
  out.text(record.account);
  out.time(record.at, at);
}

AuditRecord read_audit_record(ByteReader& in, Time at) {
  AuditRecord record;
  record.action = in.text();
  record.job = read_id(in);
  record.account = in.text();
  record.at = in.time(at);
  return record;
}

QueueChange read_queue_change(ByteReader& in, const TermsTable& known) {
  QueueChange change;
  change.name = in.text();
  change.settings = read_queue_settings(in, known);
  return change;
}

struct ChangeWriter {
  ByteWriter& out;
  Time at;
  TermsWritten& terms;

  void operator()(const JobChange& change) const { write_job_change(out, change, at, terms); }
  void operator()(const JobGone& change) const { write(out, change.id); }
  void operator()(const WaitOver& change) const { write(out, change); }
  void operator()(const QueueChange& change) const {
    out.text(change.name);
    write(out, change.settings);
  }
  void operator()(const AccountChange& change) const { write(out, change, at); }
  void operator()(const AuditRecord& record) const { write(out, record, at); }
};

}  // namespace

void TermsWritten::write(ByteWriter& out, const lifecycle::Terms* terms) {
  BATON_ASSERT(terms != nullptr);
  if (terms == latest_) return out.varint(latest_number_);
  const auto [found, is_new] = numbers_.emplace(terms, numbers_.size());
  latest_ = terms;
  latest_number_ = found->second;
  out.varint(latest_number_);
  if (is_new) local::write(out, *terms);
}

lifecycle::TermsRef TermsRead::read(ByteReader& in) {
  const std::uint64_t number = in.varint();
  if (number < met_.size()) return met_[number];
  if (number > met_.size()) in.fail("terms have no meaning");
  lifecycle::Terms terms = read_terms(in, kept_);
  if (!in.ok()) return nullptr;
  met_.push_back(kept_.keep(std::move(terms)));
  return met_.back();
}

void write(ByteWriter& out, const Waits& waits) {
  out.signed_number(waits.depth);
  out.varint(waits.groups.size());
  for (const GroupCount& group : waits.groups)
    write(out, group);
  out.varint(waits.open.size());
  for (const Wait& wait : waits.open) {
    write(out, wait.job);
    out.varint(wait.group);
    out.byte(wait.named);
  }
}

Waits read_waits(ByteReader& in) {
  Waits waits;
  waits.depth = in.small_number();
  waits.groups.resize(in.count(kGroupBytes));
  for (GroupCount& group : waits.groups)
    group = read_group(in);
  waits.open.resize(in.count(kWaitBytes));
  for (Wait& wait : waits.open) {
    wait.job = read_id(in);
    wait.group = in.index();
    wait.named = in.byte_below(2) == 1;
  }
  return waits;
}

void write_change(ByteWriter& out, const RowChange& change, Time at, TermsWritten& terms) {
  out.byte(static_cast<std::uint8_t>(change.index()));
  std::visit(ChangeWriter{out, at, terms}, change);
}

RowChange read_change(ByteReader& in, const TurnHead& head, TermsRead& terms) {
  const Time at = head.at;
  switch (static_cast<Kind>(in.byte_below(kKinds))) {
    case Kind::kJob:
      return read_job_change(in, at, terms);
    case Kind::kJobGone:
      return JobGone{read_id(in)};
    case Kind::kWaitOver:
      return read_wait_over(in);
    case Kind::kQueue:
      return read_queue_change(in, terms.kept());
    case Kind::kAccount:
      return read_account_change(in, head);
    case Kind::kAudit:
      return read_audit_record(in, at);
  }
  return JobGone{};
}

}  // namespace baton::store::local
