// The tables of a job's facts, its executions and its history. Terms are not among the facts here:
// a turn and a column of the catalog each keep them in their own way. Pure.
#pragma once

#include "lifecycle/change.h"
#include "lifecycle/job.h"
#include "store/local/codec/values.h"

namespace baton::store::local {

using lifecycle::ExecutionFacts;
using lifecycle::JobFacts;

template <>
inline constexpr Record kRecord<ExecutionFacts> = {
    Marks(),
    Always<&ExecutionFacts::attempt>(),
    Always<&ExecutionFacts::status>(),
    Always<&ExecutionFacts::token>(),
    Marked<6, &ExecutionFacts::lease>(),
    Marked<5, &ExecutionFacts::claimed_at>(),
    Marked<0, &ExecutionFacts::started_at>(),
    Marked<3, &ExecutionFacts::committed_at>(),
    Marked<4, &ExecutionFacts::finished_at>(),
    Marked<1, &ExecutionFacts::lease_expires_at>(),
    Marked<2, &ExecutionFacts::deadline_at>(),
};

template <>
inline constexpr Record kRecord<JobFacts> = {
    Marks(),
    TwoInAByte<&JobFacts::state, &JobFacts::priority>(),
    Always<&JobFacts::version>(),
    Always<&JobFacts::history_count>(),
    Always<&JobFacts::created_at>(),
    UnlessSame<7, MemberPath<&JobFacts::updated_at>, MemberPath<&JobFacts::created_at>>(),
    Marked<0, &JobFacts::scheduled_at>(),
    Marked<2, &JobFacts::started_at>(),
    Marked<3, &JobFacts::completed_at>(),
    Marked<6, &JobFacts::not_before>(),
    Marked<8, &JobFacts::run_at>(),
    Marked<5, &JobFacts::held>(),
    Marked<14, &JobFacts::delay>(),
    Marked<9, &JobFacts::retry_count>(),
    Marked<10, &JobFacts::failure_category>(),
    Marked<11, &JobFacts::error_type>(),
    Marked<12, &JobFacts::progress>(),
    Marked<1, &JobFacts::execution>(),
    UnlessSame<15, MemberPath<&JobFacts::attempt>,
               MemberPath<&JobFacts::execution, &ExecutionFacts::attempt>>(),
    Flag<4, &JobFacts::has_account>(),
    Flag<13, &JobFacts::has_callback>(),
    Flag<16, &JobFacts::cancel_requested>(),
    Flag<17, &JobFacts::has_staged>(),
    InMarks<18, 4, &JobFacts::payload_class>(),
    Marked<22, &JobFacts::release_count>(),
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
