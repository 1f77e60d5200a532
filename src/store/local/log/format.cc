#include "store/local/log/format.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/assert.h"
#include "store/local/log/crc32c.h"

namespace baton::store::local {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::array<char, 8> kSegmentMagic = {'B', 'A', 'T', 'O', 'N', 'L', 'O', 'G'};
constexpr std::uint32_t kRecordMagic = 0x43455242;  // "BREC"

// As they lie on the disk.
struct SegmentFields {
  std::array<char, 8> magic;
  std::uint32_t format;
  std::uint32_t crc;  // of the whole block, with this field zero
  std::uint64_t log_id;
  std::uint64_t number;
  std::uint64_t bytes;
  std::uint64_t first_turn;
};
static_assert(sizeof(SegmentFields) == 48);

struct RecordFields {
  std::uint32_t magic;
  std::uint32_t crc;  // of everything after this field
  std::uint64_t log_id;
  std::uint64_t segment;
  std::uint64_t first_turn;
  std::uint32_t turn_count;
  std::uint32_t reserved;  // zero
  std::uint64_t body_bytes;
};
static_assert(sizeof(RecordFields) == kRecordHeaderBytes);

constexpr std::size_t kAfterCrc = offsetof(RecordFields, log_id);

template <class Fields>
Fields fields_of(std::span<const std::byte> bytes) {
  Fields fields;
  std::memcpy(&fields, bytes.data(), sizeof fields);
  return fields;
}

std::uint64_t turn_length(std::span<const std::byte> at) {
  std::uint64_t length = 0;
  std::memcpy(&length, at.data(), sizeof length);
  return length;
}

Error unreadable(std::string reason) {
  return {Code::kStoreUnavailable, std::move(reason), {}, {}};
}

// The lengths of the turns add up to the body.
bool is_well_formed(const RecordFields& fields, std::span<const std::byte> body) {
  for (std::uint32_t i = 0; i < fields.turn_count; ++i) {
    if (body.size() < kTurnHeaderBytes) return false;
    const std::uint64_t length = turn_length(body);
    body = body.subspan(kTurnHeaderBytes);
    if (length > body.size()) return false;
    body = body.subspan(length);
  }
  return body.empty() && fields.turn_count > 0;
}

constexpr std::string_view ending(SegmentState state) {
  switch (state) {
    case SegmentState::kInUse:
      return ".seg";
    case SegmentState::kFree:
      return ".free";
    case SegmentState::kNew:
      return ".new";
  }
  return "";
}

constexpr std::string_view kNameBegin = "log-";
constexpr std::size_t kNameDigits = 16;

}  // namespace

void write_segment_header(const SegmentHeader& header, std::span<std::byte> block) {
  BATON_ASSERT(block.size() == kSegmentHeaderBytes);
  SegmentFields fields = {kSegmentMagic, kLogFormat,       0, header.log_id, header.number,
                          header.bytes,  header.first_turn};
  std::memset(block.data(), 0, block.size());
  std::memcpy(block.data(), &fields, sizeof fields);
  fields.crc = crc32c(block);
  std::memcpy(block.data(), &fields, sizeof fields);
}

Result<SegmentHeader> read_segment_header(std::span<const std::byte> block) {
  BATON_ASSERT(block.size() == kSegmentHeaderBytes);
  auto fields = fields_of<SegmentFields>(block);
  const std::uint32_t crc = std::exchange(fields.crc, 0);
  std::array<std::byte, kSegmentHeaderBytes> checked;
  std::memcpy(checked.data(), block.data(), block.size());
  std::memcpy(checked.data(), &fields, sizeof fields);
  if (fields.magic != kSegmentMagic || crc != crc32c(checked))
    return unreadable("has a damaged header");
  if (fields.format != kLogFormat)
    return unreadable("was written in log format " + std::to_string(fields.format) +
                      "; this program knows format " + std::to_string(kLogFormat) +
                      " and is too old for it");
  return SegmentHeader{fields.log_id, fields.number, fields.bytes, fields.first_turn};
}

void seal_record(const RecordHeader& header, std::span<std::byte> record) {
  BATON_ASSERT(record.size() == kRecordHeaderBytes + header.body_bytes);
  RecordFields fields = {kRecordMagic,      0, header.log_id,    header.segment, header.first_turn,
                         header.turn_count, 0, header.body_bytes};
  std::memcpy(record.data(), &fields, sizeof fields);
  fields.crc = crc32c(record.subspan(kAfterCrc));
  std::memcpy(record.data(), &fields, sizeof fields);
}

void write_turn_length(std::uint64_t length, std::byte* at) {
  std::memcpy(at, &length, sizeof length);
}

std::optional<RecordHeader> read_record(std::span<const std::byte> bytes, std::uint64_t log_id,
                                        std::uint64_t segment) {
  if (bytes.size() < kRecordHeaderBytes) return std::nullopt;
  const auto fields = fields_of<RecordFields>(bytes);
  if (fields.magic != kRecordMagic || fields.log_id != log_id || fields.segment != segment ||
      fields.body_bytes > bytes.size() - kRecordHeaderBytes)
    return std::nullopt;
  const auto record = bytes.first(kRecordHeaderBytes + fields.body_bytes);
  if (crc32c(record.subspan(kAfterCrc)) != fields.crc) return std::nullopt;
  if (!is_well_formed(fields, record.subspan(kRecordHeaderBytes))) return std::nullopt;
  return RecordHeader{fields.log_id, fields.segment, fields.first_turn, fields.turn_count,
                      fields.body_bytes};
}

Status for_each_turn(
    const RecordHeader& header, std::span<const std::byte> record,
    const std::function<Status(std::uint64_t turn, std::span<const std::byte>)>& visit) {
  std::span<const std::byte> body = record.subspan(kRecordHeaderBytes, header.body_bytes);
  for (std::uint64_t turn = header.first_turn; turn <= header.last_turn(); ++turn) {
    const std::uint64_t length = turn_length(body);
    body = body.subspan(kTurnHeaderBytes);
    if (Status visited = visit(turn, body.first(length)); !visited) return visited;
    body = body.subspan(length);
  }
  return Ok{};
}

std::string segment_name(std::uint64_t number, SegmentState state) {
  std::array<char, kNameDigits> digits;
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr - digits.data();
  std::string name(kNameBegin);
  name.append(kNameDigits - static_cast<std::size_t>(written), '0');
  name.append(digits.data(), static_cast<std::size_t>(written));
  return name.append(ending(state));
}

std::optional<SegmentName> parse_segment_name(const std::string& name) {
  const char* digits = name.data() + kNameBegin.size();
  for (const auto state : {SegmentState::kInUse, SegmentState::kFree, SegmentState::kNew}) {
    if (name.size() != kNameBegin.size() + kNameDigits + ending(state).size()) continue;
    SegmentName parsed{0, state};
    std::from_chars(digits, digits + kNameDigits, parsed.number, 16);
    if (segment_name(parsed.number, state) == name) return parsed;
  }
  return std::nullopt;
}

}  // namespace baton::store::local
