// The small parts of stored values as bytes: ids, keys, tags, failures, results. Each write has its
// read; what reads looks at the reader's failure. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/local/codec/byte_reader.h"
#include "store/local/codec/byte_writer.h"
#include "store/local/machine/row_change.h"

namespace baton::store::local {

inline constexpr std::size_t kIdBytes = 16;

void write(ByteWriter& out, const JobId& id);
JobId read_id(ByteReader& in);

void write(ByteWriter& out, const std::vector<JobId>& ids);
std::vector<JobId> read_ids(ByteReader& in);

void write(ByteWriter& out, const Tags& tags);
Tags read_tags(ByteReader& in);

void write(ByteWriter& out, const Failure& failure);
Failure read_failure(ByteReader& in);

void write(ByteWriter& out, const Outcome& outcome);
Outcome read_outcome(ByteReader& in);

void write(ByteWriter& out, const Key& key);
Key read_key(ByteReader& in);

// Times that are near each other, the first of them near `from`.
void write(ByteWriter& out, const std::vector<Time>& times, Time from);
std::vector<Time> read_times(ByteReader& in, Time from);

}  // namespace baton::store::local
