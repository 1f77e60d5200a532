#include <algorithm>

#include "store/local/codec/change_codec.h"
#include "store/local/codec/codec.h"

namespace baton::store::local {
namespace {

// A change is hundreds of bytes in memory and may be a few here: no garbage reserves gigabytes.
constexpr std::size_t kReserveAtMost = 1024;

}  // namespace

void encode_turn(Time at, std::span<const RowChange> changes, std::string& out) {
  ByteWriter writer(out);
  writer.byte(kTurnVersion);
  writer.time(at, Time{});
  writer.varint(changes.size());
  TermsWritten terms;
  for (const RowChange& change : changes)
    write_change(writer, change, at, terms);
}

Result<TurnChanges> decode_turn(std::uint64_t turn, std::span<const std::byte> bytes,
                                TermsTable& terms) {
  ByteReader in(bytes);
  TurnChanges decoded;
  decoded.turn = turn;
  TurnHead head;
  head.version = in.byte();
  if (head.version < 1 || head.version > kTurnVersion) in.fail("its version is unknown");
  decoded.at = head.at = in.time(Time{});
  const std::size_t count = in.count();
  decoded.changes.reserve(std::min(count, kReserveAtMost));
  TermsRead met(terms);
  for (std::size_t i = 0; i < count && in.ok(); ++i)
    decoded.changes.push_back(read_change(in, head, met));
  in.expect_end();
  if (!in.ok()) return in.error("turn " + std::to_string(turn));
  return decoded;
}

}  // namespace baton::store::local
