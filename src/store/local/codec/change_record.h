// The tables of the row changes of a turn. The change of one job, of which nearly all turns
// consist, has a bit for everything that most changes do not have. Pure.
#pragma once

#include <variant>

#include "store/local/codec/facts_record.h"
#include "store/local/codec/submission_record.h"
#include "store/local/machine/row_change.h"

namespace baton::store::local {

using lifecycle::GroupCount;

// ---- What a job waits for -----------------------------------------------------------------------

// Known where an ending was bad, unless an earlier version counted it.
struct FirstBadJob : PlainRow {
  static void write(auto& out, const GroupCount& group, std::uint32_t) {
    if (group.first_bad != JobState::kNone) write_value(out, group.first_bad_job);
  }
  static void read(RecordReader& in, GroupCount& into, std::uint32_t) {
    const bool is_there = in.turn_version >= kTurnOfBadJobs;
    if (is_there && into.first_bad != JobState::kNone) read_value(in, into.first_bad_job);
  }
};

template <>
inline constexpr Record kRecord<GroupCount> = {
    Always<&GroupCount::type, &GroupCount::allow_failures, &GroupCount::total, &GroupCount::ended,
           &GroupCount::first_bad>(),
    FirstBadJob(),
};

template <>
inline constexpr Record kRecord<Wait> = {
    Always<&Wait::job, &Wait::group, &Wait::named>(),
};

template <>
inline constexpr Record kRecord<Waits> = {
    Always<&Waits::depth, &Waits::groups, &Waits::open>(),
};

template <>
inline constexpr Record kRecord<WaitOver> = {
    Always<&WaitOver::job, &WaitOver::group, &WaitOver::ended, &WaitOver::count,
           &WaitOver::children>(),
};

// ---- Jobs -------------------------------------------------------------------------------------

template <>
inline constexpr Record kRecord<JobTexts> = {
    Marks(),
    Marked<0, &JobTexts::failure>(),
    Marked<1, &JobTexts::execution_failure>(),
    Marked<2, &JobTexts::result>(),
    Marked<3, &JobTexts::progress_message>(),
    Marked<4, &JobTexts::checkpoint>(),
    Marked<5, &JobTexts::tags>(),
    Marked<6, &JobTexts::correlation_id>(),
    Marked<7, &JobTexts::callback_url>(),
    Marked<8, &JobTexts::staged>(),
    Marked<9, &JobTexts::cancel_reason>(),
};

template <>
inline constexpr Record kRecord<HeldKey> = {
    Always<&HeldKey::key, &HeldKey::expires_at>(),
};

// Of what the key stands for; earlier versions did not keep it.
struct KeyPayload {
  static bool is_there(const Birth& birth) { return birth.key && birth.key->payload.is_known(); }
  static void write(auto& out, const Birth& birth) { write_value(out, birth.key->payload); }
  static void read(RecordReader& in, Birth& into) {
    if (!into.key) return in.bytes.fail("a payload is known of no key");
    read_value(in, into.key->payload);
  }
};

template <>
inline constexpr Record kRecord<HeldUnique> = {
    Always<&HeldUnique::key, &HeldUnique::held_while, &HeldUnique::payload>(),
};

template <>
inline constexpr Record kRecord<Birth> = {
    MarksByte(),
    Marked<0, &Birth::key>(),
    Marked<1, &Birth::waits>(),
    Marked<2, &Birth::unique>(),
    Sometimes<3, KeyPayload>(),
};

struct ChangeTerms : PlainRow {
  static constexpr std::size_t kLeastBytes = 1;
  static void write(auto& out, const JobChange& change, std::uint32_t) {
    write_value(out, change.facts.terms);
  }
  static void read(RecordReader& in, JobChange& into, std::uint32_t) {
    read_value(in, into.facts.terms);
  }
};

// The last entry of a change should have the number history_count.
struct ChangeHistory {
  static constexpr std::size_t kMost = 4;

  static std::int64_t seq_before_end(const JobChange& change, std::size_t left) {
    return saturating_add(change.facts.history_count, 1 - static_cast<std::int64_t>(left));
  }
  static bool is_there(const JobChange& change) { return !change.history.empty(); }
  static void write(auto& out, const JobChange& change) {
    out.bytes.varint(change.history.size());
    for (std::size_t left = change.history.size(); const HistoryEntry& entry : change.history) {
      out.seq = seq_before_end(change, left--);
      write_value(out, entry);
    }
  }
  static void read(RecordReader& in, JobChange& into) {
    std::size_t left = in.bytes.count();
    if (left > kMost) return in.bytes.fail("a change has too much history");
    for (; left > 0; --left) {
      in.seq = seq_before_end(into, left);
      HistoryEntry entry;
      read_value(in, entry);
      into.history.push_back(entry);
    }
  }
};

template <>
inline constexpr Record kRecord<JobChange> = {
    Marks(),
    Always<&JobChange::id>(),
    Always<&JobChange::number>(),
    ChangeTerms(),
    Always<&JobChange::facts>(),
    Marked<0, &JobChange::made>(),
    Marked<1, &JobChange::ready>(),
    Marked<3, &JobChange::worker>(),
    Marked<4, &JobChange::texts>(),
    Sometimes<5, ChangeHistory>(),
    Marked<6, &JobChange::birth>(),
    Marked<9, &JobChange::parent>(),
    Marked<10, &JobChange::redriven_from>(),
    Flag<2, &JobChange::execution_changed>(),
    Flag<7, &JobChange::failure_cleared>(),
    Flag<8, &JobChange::staged_cleared>(),
    Flag<11, &JobChange::durable>(),
};

template <>
inline constexpr Record kRecord<JobGone> = {
    Always<&JobGone::id>(),
};

// ---- Queues, accounts, audit
// ----------------------------------------------------------------------

template <>
inline constexpr Record kRecord<QueueChange> = {
    Always<&QueueChange::name, &QueueChange::settings>(),
};

template <>
inline constexpr Record kRecord<Balance> = {
    Always<&Balance::granted, &Balance::available, &Balance::reserved, &Balance::captured>(),
};

template <>
inline constexpr Record kRecord<Account> = {
    Always<&Account::id, &Account::tier, &Account::balance, &Account::active_jobs>(),
};

// A ledger entry, whose job has a bit of its own among those of the account's change.
struct AccountEntry : PlainRow {
  static constexpr std::uint32_t kEntry = 1 << 0;
  static constexpr std::uint32_t kJob = 1 << 2;
  static constexpr std::uint32_t kBits = kEntry | kJob;
  using BeforeJob = Always<&LedgerEntry::seq, &LedgerEntry::kind, &LedgerEntry::amount>;
  using AfterJob = Always<&LedgerEntry::at, &LedgerEntry::after>;

  static std::uint32_t marks(const WriteContext&, const AccountChange& change) {
    if (!change.entry) return 0;
    return change.entry->job.is_nil() ? kEntry : kEntry | kJob;
  }
  static void write(auto& out, const AccountChange& change, std::uint32_t has) {
    if ((has & kEntry) == 0) return;
    BeforeJob::write(out, *change.entry, has);
    if ((has & kJob) != 0) write_value(out, change.entry->job);
    AfterJob::write(out, *change.entry, has);
  }
  static void read(RecordReader& in, AccountChange& into, std::uint32_t has) {
    if ((has & kEntry) == 0) return;
    LedgerEntry& entry = into.entry.emplace();
    BeforeJob::read(in, entry, has);
    if ((has & kJob) != 0) read_value(in, entry.job);
    AfterJob::read(in, entry, has);
  }
};

inline void read_hour(RecordReader& in, AccountChange& into) { read_value(in, into.hour); }

template <>
inline constexpr Record kRecord<AccountChange> = {
    MarksByte(),
    Always<&AccountChange::account>(),
    AccountEntry(),
    Marked<1, &AccountChange::grant_key>(),
    SinceTurn<kTurnOfAdditions, Marked<3, &AccountChange::submitted>>(),
    BeforeTurn<kTurnOfAdditions, read_hour>(),
};

template <>
inline constexpr Record kRecord<AuditRecord> = {
    Always<&AuditRecord::action, &AuditRecord::job, &AuditRecord::account, &AuditRecord::at>(),
};

template <>
inline constexpr Record kRecord<JobRedriven> = {
    Always<&JobRedriven::id, &JobRedriven::number, &JobRedriven::to, &JobRedriven::version>(),
};

template <>
inline constexpr Record kRecord<QueueGone> = {
    Always<&QueueGone::name>(),
};

// ---- Any of them ------------------------------------------------------------------------------

// A change begins with its kind, which is its place among these. Written to disk: do not reorder.
static_assert(
    std::same_as<RowChange, std::variant<JobChange, JobGone, WaitOver, QueueChange, AccountChange,
                                         AuditRecord, JobRedriven, QueueGone>>);

void write_value(auto& out, const RowChange& change) {
  out.bytes.byte(static_cast<std::uint8_t>(change.index()));
  std::visit([&out](const auto& one) { write_value(out, one); }, change);
}
inline void read_value(RecordReader& in, RowChange& into) {
  constexpr auto kKinds = std::make_index_sequence<std::variant_size_v<RowChange>>();
  const std::size_t kind = in.bytes.byte_below(kKinds.size());
  [&]<std::size_t... Kind>(std::index_sequence<Kind...>) {
    ((kind == Kind ? read_value(in, into.emplace<Kind>()) : void()), ...);
  }
  (kKinds);
}

}  // namespace baton::store::local
