// The bytes of a segment: its header block and its records. docs/log-format.md describes them; do
// not move a field without raising kLogFormat there and here. Pure: reads and writes memory that it
// is lent. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/disk.h"
#include "baton/result.h"

namespace baton::store::local {

inline constexpr std::uint32_t kLogFormat = 1;
inline constexpr std::size_t kSegmentHeaderBytes = base::kDiskBlock;
inline constexpr std::size_t kRecordHeaderBytes = 48;
inline constexpr std::size_t kTurnHeaderBytes = 8;

struct SegmentHeader {
  std::uint64_t log_id = 0;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;       // of the whole file
  std::uint64_t first_turn = 0;  // no turn below it counts in this segment

  friend bool operator==(const SegmentHeader&, const SegmentHeader&) = default;
};

// `block` has kSegmentHeaderBytes.
void write_segment_header(const SegmentHeader& header, std::span<std::byte> block);
// The error says what is wrong, as the end of a sentence that began with the name of the file.
Result<SegmentHeader> read_segment_header(std::span<const std::byte> block);

struct RecordHeader {
  std::uint64_t log_id = 0;
  std::uint64_t segment = 0;
  std::uint64_t first_turn = 0;
  std::uint32_t turn_count = 0;
  std::uint64_t body_bytes = 0;  // what follows the header: turns, each with its length before it

  std::uint64_t last_turn() const { return first_turn + turn_count - 1; }
  std::uint64_t bytes_on_disk() const {
    return base::round_up_to_block(kRecordHeaderBytes + body_bytes);
  }
};

// Completes a record whose body stands at its place in `record`: writes the header before it.
void seal_record(const RecordHeader& header, std::span<std::byte> record);
// Writes the length of a turn at the place that was left for it.
void write_turn_length(std::uint64_t length, std::byte* at);

// The record at the beginning of `bytes`, when there is a whole and undamaged one of this log and
// segment.
std::optional<RecordHeader> read_record(std::span<const std::byte> bytes, std::uint64_t log_id,
                                        std::uint64_t segment);

// The turns of a record that read_record() accepted, in order, until the first error.
Status for_each_turn(
    const RecordHeader& header, std::span<const std::byte> record,
    const std::function<Status(std::uint64_t turn, std::span<const std::byte>)>& visit);

// ---- Names of files ---------------------------------------------------------------------------

// "log-00000000000000a1.seg": part of the log; ".free": may be used again; ".new": half made.
enum class SegmentState : std::uint8_t { kInUse, kFree, kNew };

std::string segment_name(std::uint64_t number, SegmentState state);

struct SegmentName {
  std::uint64_t number = 0;
  SegmentState state = SegmentState::kInUse;
};
// nullopt: not a file of the log.
std::optional<SegmentName> parse_segment_name(const std::string& name);

}  // namespace baton::store::local
