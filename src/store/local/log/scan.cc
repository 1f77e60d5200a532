#include "store/local/log/scan.h"

#include <algorithm>
#include <optional>

#include "base/aligned_buffer.h"

namespace baton::store::local {
namespace {

Error damaged(const std::string& message) { return {Code::kStoreUnavailable, message, {}, {}}; }

constexpr const char* kWhatToDo =
    "Bring the right file back, or restore a backup; `baton backup --damaged` saves what can be "
    "read";

std::string place(const std::string& name, std::uint64_t offset) {
  return name + " at offset " + std::to_string(offset);
}

Result<base::AlignedBuffer> read_file(base::Disk& disk, const std::string& name) {
  const auto file = disk.open(name, base::Access::kRead);
  if (!file) return file.error();
  const auto size = (*file)->size();
  if (!size) return size.error();
  base::AlignedBuffer bytes(*size);
  if (const Status read = (*file)->read(0, bytes.bytes()); !read) return read.error();
  return bytes;
}

// The header of the file, when it is what its name and the log say.
Result<SegmentHeader> header_of(const std::string& name, std::uint64_t number,
                                std::span<const std::byte> bytes) {
  if (bytes.size() < kSegmentHeaderBytes) return damaged(name + " is too short for a log segment");
  auto header = read_segment_header(bytes.first(kSegmentHeaderBytes));
  if (!header) return damaged(name + " " + header.error().message);
  if (header->number != number)
    return damaged(name + " is segment " + std::to_string(header->number) + " by its header");
  if (header->bytes != bytes.size())
    return damaged(name + " has " + std::to_string(bytes.size()) + " bytes instead of " +
                   std::to_string(header->bytes));
  return header;
}

class Scanner {
 public:
  Scanner(base::Disk& disk, std::uint64_t applied) : disk_(disk), applied_(applied) {}

  Result<ScannedLog> run() {
    const auto names = disk_.list();
    if (!names) return names.error();
    for (const std::string& name : *names) {
      if (const auto parsed = parse_segment_name(name)) sort_in(name, *parsed);
    }
    for (const std::uint64_t number : numbers_) {
      if (const Status done = segment(number); !done) return done.error();
    }
    return std::move(log_);
  }

 private:
  void sort_in(const std::string& name, const SegmentName& parsed) {
    log_.last_number = std::max(log_.last_number, parsed.number);
    switch (parsed.state) {
      case SegmentState::kInUse:
        numbers_.push_back(parsed.number);
        break;
      case SegmentState::kFree:
        log_.free_files.push_back(name);
        break;
      case SegmentState::kNew:
        log_.half_made.push_back(name);
        break;
    }
  }

  Status segment(std::uint64_t number) {
    const std::string name = segment_name(number, SegmentState::kInUse);
    const auto bytes = read_file(disk_, name);
    if (!bytes) return bytes.error();
    const auto header = header_of(name, number, bytes->bytes());
    if (!header) return header.error();
    if (log_.log_id == 0) log_.log_id = header->log_id;
    if (log_.log_id != header->log_id) return damaged(name + " belongs to another log");
    ScannedSegment scanned{*header};
    if (Status read = records(name, bytes->bytes(), scanned); !read) return read;
    log_.segments.push_back(scanned);
    return Ok{};
  }

  // Takes the records as long as each continues the log; what is behind must not be valid.
  Status records(const std::string& name, std::span<const std::byte> bytes,
                 ScannedSegment& segment) {
    while (const auto record = record_at(bytes, segment.end, segment.header)) {
      const bool is_first = segment.last_turn == 0;
      if (is_first && record->first_turn > due_ && record->first_turn > applied_ + 1)
        return missing(name, record->first_turn);
      const bool continues = record->first_turn == due_ || (is_first && record->first_turn > due_);
      if (!continues) break;
      segment.last_record_at = segment.end;
      segment.end += record->bytes_on_disk();
      segment.last_turn = record->last_turn();
      log_.last_turn = segment.last_turn;
      due_ = segment.last_turn + 1;
    }
    due_at_ = {name, segment.end};
    return nothing_valid_behind(name, bytes, segment);
  }

  static std::optional<RecordHeader> record_at(std::span<const std::byte> bytes, std::uint64_t at,
                                               const SegmentHeader& header) {
    auto record = read_record(bytes.subspan(at), header.log_id, header.number);
    // What a file held before it was used again does not count.
    if (record && record->first_turn < header.first_turn) record.reset();
    return record;
  }

  Status nothing_valid_behind(const std::string& name, std::span<const std::byte> bytes,
                              const ScannedSegment& segment) const {
    for (std::uint64_t at = segment.end; at < bytes.size(); at += base::kDiskBlock) {
      const auto record = record_at(bytes, at, segment.header);
      if (!record || record->first_turn < due_) continue;
      return damaged(
          "the log is damaged: " + place(name, segment.end) + " holds no valid record of turn " +
          std::to_string(due_ != 0 ? due_ : segment.header.first_turn) + ", but turn " +
          std::to_string(record->first_turn) + " follows at offset " + std::to_string(at));
    }
    return Ok{};
  }

  // A segment begins with a turn that is neither due nor excused by the catalog.
  Error missing(const std::string& name, std::uint64_t first_turn) const {
    if (log_.last_turn == 0)
      return damaged("the log is incomplete: the catalog ends with turn " +
                     std::to_string(applied_) + ", but the log begins with turn " +
                     std::to_string(first_turn) + " in " + place(name, kSegmentHeaderBytes));
    return damaged("the log is damaged: " + place(due_at_.name, due_at_.offset) +
                   " holds no valid record of turn " + std::to_string(due_) + ", but turn " +
                   std::to_string(first_turn) + " follows in " + place(name, kSegmentHeaderBytes));
  }

  struct Place {
    std::string name;
    std::uint64_t offset = 0;
  };

  base::Disk& disk_;
  std::uint64_t applied_;
  std::uint64_t due_ = 0;  // the turn that comes next; 0 before the first
  Place due_at_;
  std::vector<std::uint64_t> numbers_;
  ScannedLog log_;
};

}  // namespace

Result<ScannedLog> scan_log(base::Disk& disk, std::uint64_t applied) {
  return Scanner(disk, applied).run();
}

Result<std::uint64_t> find_log_id(base::Disk& disk) {
  const auto names = disk.list();
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const auto parsed = parse_segment_name(name);
    if (!parsed || parsed->state != SegmentState::kInUse) continue;
    const auto file = disk.open(name, base::Access::kRead);
    if (!file) return file.error();
    base::AlignedBuffer block(kSegmentHeaderBytes);
    if (const Status read = (*file)->read(0, block.bytes()); !read) return read.error();
    const auto header = read_segment_header(block.bytes());
    if (!header) return damaged(name + " " + header.error().message);
    return header->log_id;
  }
  return std::uint64_t{0};
}

Status check_belongs(const ScannedLog& log, const ManifestState& manifest, std::uint64_t on_disk) {
  const std::string tail = segment_name(manifest.tail, SegmentState::kInUse);
  bool has_tail = manifest.tail == 0;
  for (const ScannedSegment& segment : log.segments) {
    const std::string name = segment_name(segment.header.number, SegmentState::kInUse);
    if (segment.header.log_id != manifest.store_id)
      return damaged(name + " belongs to another store than manifest does. " + kWhatToDo);
    has_tail = has_tail || segment.header.number == manifest.tail;
    // Whoever writes to a segment has said so before; only a store that comes from an earlier
    // version has not.
    if (manifest.bound && segment.header.number > manifest.tail &&
        segment.last_turn > manifest.applied)
      return damaged("manifest is older than the log: it does not know " + name +
                     ", which ends with turn " + std::to_string(segment.last_turn) + ". " +
                     kWhatToDo);
  }
  if (!has_tail)
    return damaged(tail + " is missing: the last turns of the store stand in it. " + kWhatToDo);
  if (manifest.tail != 0 && on_disk > manifest.applied && log.last_turn < on_disk)
    return damaged("the log ends with turn " + std::to_string(log.last_turn) + " in " + tail +
                   ", but the catalog knows that turn " + std::to_string(on_disk) +
                   " stood there: the file is damaged at its end or an older copy. " + kWhatToDo);
  return Ok{};
}

Status replay_segment(base::Disk& disk, const ScannedSegment& segment, std::uint64_t applied,
                      const VisitTurn& visit) {
  const std::string name = segment_name(segment.header.number, SegmentState::kInUse);
  const auto bytes = read_file(disk, name);
  if (!bytes) return bytes.error();
  for (std::uint64_t at = kSegmentHeaderBytes; at < segment.end;) {
    const auto rest = bytes->bytes().subspan(at);
    const auto record = read_record(rest, segment.header.log_id, segment.header.number);
    if (!record) return damaged(place(name, at) + " was valid before and cannot be read now");
    Status visited = for_each_turn(
        *record, rest, [&](std::uint64_t turn, std::span<const std::byte> payload) -> Status {
          if (turn <= applied) return Ok{};
          return visit(turn, payload);
        });
    if (!visited) return visited;
    at += record->bytes_on_disk();
  }
  return Ok{};
}

}  // namespace baton::store::local
