// The facts of a job, its executions and its history as bytes. Times are kept as distances from a
// time that the reader knows, the turn's or the job's creation, because most are near it. Terms
// are kept as a number; whose number it is, is the caller's business. Pure.
#pragma once

#include <cstdint>

#include "lifecycle/change.h"
#include "lifecycle/job.h"
#include "store/local/codec/byte_reader.h"
#include "store/local/codec/byte_writer.h"

namespace baton::store::local {

void write(ByteWriter& out, const lifecycle::ExecutionFacts& execution, Time from);
lifecycle::ExecutionFacts read_execution(ByteReader& in, Time from);

// Everything but the terms.
void write(ByteWriter& out, const lifecycle::JobFacts& facts, Time from);
lifecycle::JobFacts read_facts(ByteReader& in, Time from);

// `seq` is the sequence number that the entry should have, and nearly always has.
void write(ByteWriter& out, const HistoryEntry& entry, Time from, std::int64_t seq);
HistoryEntry read_history_entry(ByteReader& in, Time from, std::int64_t seq);

}  // namespace baton::store::local
