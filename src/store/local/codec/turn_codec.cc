#include "store/local/codec/change_record.h"
#include "store/local/codec/codec.h"

namespace baton::store::local {

void encode_turn(Time at, std::span<const RowChange> changes, base::AlignedBuffer& bytes) {
  TermsWritten terms;
  RecordWriter out(bytes, {.from = at, .terms = &terms});
  out.bytes.byte(kTurnVersion);
  out.bytes.time(at, Time{});
  out.bytes.varint(changes.size());
  for (const RowChange& change : changes)
    write_value(out, change);
}

Result<TurnChanges> decode_turn(std::uint64_t turn, std::span<const std::byte> bytes,
                                TermsTable& known) {
  ByteReader reader(bytes);
  TermsRead terms(known);
  RecordReader in{.bytes = reader, .known = &known, .terms = &terms};
  TurnChanges decoded;
  decoded.turn = turn;
  in.turn_version = reader.byte();
  if (in.turn_version < 1 || in.turn_version > kTurnVersion) reader.fail("its version is unknown");
  decoded.at = in.from = reader.time(Time{});
  read_value(in, decoded.changes);
  reader.expect_end();
  if (!reader.ok()) return reader.error("turn " + std::to_string(turn));
  return decoded;
}

}  // namespace baton::store::local
