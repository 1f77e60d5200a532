// The tables of a job's facts, its executions and its history. Terms are not among the facts here:
// a turn and a column of the catalog each keep them in their own way. Pure.
#pragma once

#include "lifecycle/change.h"
#include "lifecycle/job.h"
#include "store/local/codec/values.h"

namespace baton::store::local {

template <>
inline constexpr Record kRecord<lifecycle::ExecutionFacts> = {
    Marks(),
    Always<&lifecycle::ExecutionFacts::attempt>(),
    Always<&lifecycle::ExecutionFacts::status>(),
    Always<&lifecycle::ExecutionFacts::token>(),
    Marked<6, &lifecycle::ExecutionFacts::lease>(),
    Marked<5, &lifecycle::ExecutionFacts::claimed_at>(),
    Marked<0, &lifecycle::ExecutionFacts::started_at>(),
    Marked<3, &lifecycle::ExecutionFacts::committed_at>(),
    Marked<4, &lifecycle::ExecutionFacts::finished_at>(),
    Marked<1, &lifecycle::ExecutionFacts::lease_expires_at>(),
    Marked<2, &lifecycle::ExecutionFacts::deadline_at>(),
};

template <>
inline constexpr Record kRecord<lifecycle::JobFacts> = {
    Marks(),
    TwoInAByte<&lifecycle::JobFacts::state, &lifecycle::JobFacts::priority>(),
    Always<&lifecycle::JobFacts::version>(),
    Always<&lifecycle::JobFacts::history_count>(),
    Always<&lifecycle::JobFacts::created_at>(),
    UnlessSame<7, MemberPath<&lifecycle::JobFacts::updated_at>,
               MemberPath<&lifecycle::JobFacts::created_at>>(),
    Marked<0, &lifecycle::JobFacts::scheduled_at>(),
    Marked<2, &lifecycle::JobFacts::started_at>(),
    Marked<3, &lifecycle::JobFacts::completed_at>(),
    Marked<6, &lifecycle::JobFacts::not_before>(),
    Marked<8, &lifecycle::JobFacts::run_at>(),
    Marked<5, &lifecycle::JobFacts::held>(),
    Marked<14, &lifecycle::JobFacts::delay>(),
    Marked<9, &lifecycle::JobFacts::retry_count>(),
    Marked<10, &lifecycle::JobFacts::failure_category>(),
    Marked<11, &lifecycle::JobFacts::error_type>(),
    Marked<12, &lifecycle::JobFacts::progress>(),
    Marked<1, &lifecycle::JobFacts::execution>(),
    UnlessSame<15, MemberPath<&lifecycle::JobFacts::attempt>,
               MemberPath<&lifecycle::JobFacts::execution, &lifecycle::ExecutionFacts::attempt>>(),
    Flag<4, &lifecycle::JobFacts::has_account>(),
    Flag<13, &lifecycle::JobFacts::has_callback>(),
    Flag<16, &lifecycle::JobFacts::cancel_requested>(),
    Flag<17, &lifecycle::JobFacts::has_staged>(),
    InMarks<18, 4, &lifecycle::JobFacts::payload_class>(),
};

// Kept as its distance from the number that the entry should have.
struct HistorySeq : PlainRow {
  static constexpr std::size_t kLeastBytes = 1;
  static void write(auto& out, const HistoryEntry& entry, std::uint32_t) {
    out.bytes.distance(entry.seq, out.seq);
  }
  static void read(RecordReader& in, HistoryEntry& into, std::uint32_t) {
    into.seq = in.bytes.distance(in.seq);
  }
};

template <>
inline constexpr Record kRecord<HistoryEntry> = {
    TwoInAByte<&HistoryEntry::from, &HistoryEntry::to>(),
    MarksByte(),
    InMarks<0, 5, &HistoryEntry::trigger>(),
    InMarks<5, 2, &HistoryEntry::actor>(),
    Always<&HistoryEntry::at>(),
    HistorySeq(),
    Marked<7, &HistoryEntry::attempt>(),
};

}  // namespace baton::store::local
