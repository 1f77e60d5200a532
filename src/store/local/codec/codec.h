// How row changes and stored jobs become bytes and bytes become them again: the payload of a log
// record, and the packed columns of the catalog. Every form begins with its version; bytes that do
// not decode are an error, never a guess. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "baton/result.h"
#include "store/local/machine/row_change.h"
#include "store/local/machine/terms_table.h"

namespace baton::store::local {

// One turn as the log keeps it, and as the projector takes it.
struct TurnChanges {
  std::uint64_t turn = 0;
  Time at;  // the time of the turn
  std::vector<RowChange> changes;
};

// Appends the turn's bytes to `out`, the write buffer of the log.
void encode_turn(Time at, std::span<const RowChange> changes, base::AlignedBuffer& out);
Result<TurnChanges> decode_turn(std::uint64_t turn, std::span<const std::byte> bytes,
                                TermsTable& terms);

}  // namespace baton::store::local
