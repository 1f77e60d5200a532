#include "store/local/log/log.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/random.h"
#include "store/local/log/format.h"
#include "store/local/log/scan.h"
#include "store/local/log/segments.h"

namespace baton::store::local {
namespace {

// Turns that need not be durable at once are written when this much waits.
constexpr std::size_t kMostPendingBytes = 256U << 10;
// A write buffer that a large turn has blown up is not kept.
constexpr std::size_t kMostBufferBytes = 4U << 20;

std::uint64_t random_id() {
  std::uint64_t id = 0;
  while (id == 0)
    base::system_random(&id, sizeof id);
  return id;
}

// The names that were found are durable from here on, whatever ended the process before.
Status tidy(base::Disk& disk, const std::vector<std::string>& half_made) {
  for (const std::string& name : half_made) {
    if (Status removed = disk.remove(name); !removed) return removed;
  }
  return disk.sync();
}

Error removed(std::uint64_t segment) {
  return {Code::kStoreUnavailable,
          segment_name(segment, SegmentState::kInUse) +
              " was removed while the store was open: what is written to it would be lost",
          {},
          {}};
}

// The first failure, which every later call is answered with.
class Failure {
 public:
  Error keep(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!happened_) error_ = error;
    happened_ = true;
    return error;
  }
  bool happened() const { return happened_.load(std::memory_order_acquire); }
  Error error() const {
    const std::lock_guard lock(mutex_);
    return {Code::kStoreUnavailable,
            "the log has failed and must be opened again: " + error_.message,
            {},
            {}};
  }

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> happened_{false};
  Error error_;
};

}  // namespace

struct Log::Parts {
  Parts(base::Disk& to, const Segments::Origin& origin)
      : disk(to), log_id(origin.log_id), manifest(origin.manifest), segments(to, origin) {
    clear_buffer();
  }

  void clear_buffer();
  Status adopt(const ScannedLog& log);
  Status go_on_in(const ScannedSegment& segment);
  Status tell_manifest();
  Status write_record(std::uint64_t first_turn);
  Status next_segment(std::uint64_t record_bytes, std::uint64_t first_turn);

  base::Disk& disk;
  const std::uint64_t log_id;
  Manifest* const manifest;  // or nullptr
  Segments segments;
  Failure failure;

  // What open() found, for replay().
  std::vector<ScannedSegment> scanned;
  std::uint64_t applied = 0;

  // Where the next record goes. Without a file: into the next segment.
  OpenSegment current;
  std::uint64_t offset = 0;
  // The one before it, until a record stands in this one: something must hold the last turns.
  std::optional<RetiredSegment> before;

  // The record that is being put together: room for its header, then turns.
  base::AlignedBuffer buffer;
  std::uint32_t pending_turns = 0;
  std::size_t turn_at = 0;  // where the turn that was begun stands; 0: none is
};

// ---- Opening ----------------------------------------------------------------------------------

// The last segment with turns is written to further. All others wait to be released, the empty ones
// too: a crash may have come before their names were durable, so that they are made anew.
Status Log::Parts::adopt(const ScannedLog& log) {
  // Within a segment turns follow each other; when some are only in the catalog, a new one begins.
  const bool goes_on = log.last_turn >= applied;
  for (const ScannedSegment& segment : log.segments) {
    const SegmentHeader& header = segment.header;
    const std::uint64_t used = segment.end - kSegmentHeaderBytes;
    segments.add_bytes_held(used);
    if (goes_on && segment.last_turn != 0 && segment.last_turn == log.last_turn) {
      if (Status opened = go_on_in(segment); !opened) return opened;
    } else {
      segments.retire({header.number, header.bytes, used, segment.last_turn});
    }
  }
  return tell_manifest();
}

// Before any segment is freed. When none goes on, everything that the log has is in the catalog.
Status Log::Parts::tell_manifest() {
  if (manifest == nullptr) return Ok{};
  if (!current.file) {
    if (Status told = manifest->set_applied(applied); !told) return told;
  }
  return manifest->set_tail(current.file ? current.number : 0);
}

// Writes the last record again. It can be read, but if the process died before its write returned,
// or the write failed, it need not be on the disk; and later ones must not survive without it.
Status Log::Parts::go_on_in(const ScannedSegment& segment) {
  const std::string name = segment_name(segment.header.number, SegmentState::kInUse);
  auto file = disk.open(name, base::Access::kDurableWrite);
  if (!file) return file.error();
  current = {segment.header.number, segment.header.bytes, std::move(file).value()};
  offset = segment.end;
  const auto reader = disk.open(name, base::Access::kRead);
  if (!reader) return reader.error();
  base::AlignedBuffer record(segment.end - segment.last_record_at);
  if (Status read = (*reader)->read(segment.last_record_at, record.bytes()); !read) return read;
  return current.file->write(segment.last_record_at, record.bytes());
}

Result<std::unique_ptr<Log>> Log::open(base::Disk& disk, const LogOptions& options,
                                       std::uint64_t applied) {
  BATON_ASSERT(options.segment_bytes % base::kDiskBlock == 0);
  BATON_ASSERT(options.segment_bytes >= 2 * base::kDiskBlock);
  auto found = scan_log(disk, applied);
  if (!found) return found.error();
  if (options.manifest != nullptr) {
    const ManifestState manifest = options.manifest->state();
    if (const auto ours = check_belongs(*found, manifest, options.on_disk); !ours)
      return ours.error();
    found->log_id = manifest.store_id;
  }
  if (found->log_id == 0) found->log_id = options.new_id != 0 ? options.new_id : random_id();
  auto parts = std::make_unique<Parts>(
      disk, Segments::Origin{found->log_id, options.segment_bytes, found->last_number + 1,
                             found->free_files, options.manifest});
  parts->applied = applied;
  parts->scanned = found->segments;
  if (const Status done = tidy(disk, found->half_made); !done) return done.error();
  if (const Status done = parts->adopt(*found); !done) return done.error();
  std::unique_ptr<Log> log(new Log(std::move(parts)));
  log->last_turn_ = std::max(found->last_turn, applied);
  log->durable_turn_ = log->last_turn();
  // Has a segment ready, and frees none that holds a turn.
  if (const Status ready = log->release(0); !ready) return ready.error();
  return log;
}

Log::Log(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Log::~Log() = default;

Status Log::replay(const Visit& visit) {
  for (const ScannedSegment& segment : parts_->scanned) {
    if (segment.last_turn <= parts_->applied) continue;
    Status done = replay_segment(parts_->disk, segment, parts_->applied, visit);
    if (!done) return done;
  }
  return Ok{};
}

// ---- Appending --------------------------------------------------------------------------------

base::AlignedBuffer& Log::begin_turn(std::uint64_t turn) {
  BATON_ASSERT(parts_->turn_at == 0);
  BATON_ASSERT(turn == last_turn() + 1 || parts_->failure.happened());
  parts_->scanned.clear();
  const std::size_t turn_at = parts_->buffer.size();
  parts_->buffer.extend(kTurnHeaderBytes);
  parts_->turn_at = turn_at;
  return parts_->buffer;
}

void Log::drop_turn() { parts_->buffer.resize(std::exchange(parts_->turn_at, 0)); }

Status Log::end_turn(bool durable) {
  Parts& parts = *parts_;
  const std::size_t payload_at = std::exchange(parts.turn_at, 0) + kTurnHeaderBytes;
  BATON_ASSERT(payload_at > kTurnHeaderBytes && parts.buffer.size() >= payload_at);
  if (parts.failure.happened()) {
    parts.clear_buffer();
    return parts.failure.error();
  }
  write_turn_length(parts.buffer.size() - payload_at,
                    parts.buffer.data() + payload_at - kTurnHeaderBytes);
  ++parts.pending_turns;
  last_turn_.store(last_turn() + 1, std::memory_order_release);
  if (durable || parts.buffer.size() >= kMostPendingBytes) return flush();
  return Ok{};
}

Status Log::flush() {
  Parts& parts = *parts_;
  BATON_ASSERT(parts.turn_at == 0);
  if (parts.failure.happened()) return parts.failure.error();
  if (parts.pending_turns == 0) return Ok{};
  const Status written = parts.write_record(durable_turn() + 1);
  parts.clear_buffer();
  if (!written) return parts.failure.keep(written.error());
  durable_turn_.store(last_turn(), std::memory_order_release);
  return Ok{};
}

void Log::Parts::clear_buffer() {
  if (buffer.capacity() > kMostBufferBytes) buffer = base::AlignedBuffer();
  buffer.resize(kRecordHeaderBytes);
  pending_turns = 0;
}

Status Log::Parts::write_record(std::uint64_t first_turn) {
  RecordHeader header{log_id, 0, first_turn, pending_turns, buffer.size() - kRecordHeaderBytes};
  const std::uint64_t bytes = header.bytes_on_disk();
  if (!current.file || offset + bytes > current.bytes) {
    if (Status taken = next_segment(bytes, first_turn); !taken) return taken;
  }
  header.segment = current.number;
  seal_record(header, buffer.bytes());
  buffer.append_zeros(bytes - buffer.size());
  if (Status written = current.file->write(offset, buffer.bytes()); !written) return written;
  if (!current.file->has_name()) return removed(current.number);
  if (before) segments.retire(*std::exchange(before, std::nullopt));
  offset += bytes;
  segments.add_bytes_held(bytes);
  return Ok{};
}

Status Log::Parts::next_segment(std::uint64_t record_bytes, std::uint64_t first_turn) {
  auto next = segments.take(kSegmentHeaderBytes + record_bytes, first_turn);
  if (!next) return next.error();
  if (manifest != nullptr) {
    if (Status told = manifest->set_tail(next->number); !told) return told;
  }
  if (current.file)
    before = {current.number, current.bytes, offset - kSegmentHeaderBytes, first_turn - 1};
  current = std::move(next).value();
  offset = kSegmentHeaderBytes;
  return Ok{};
}

// ---- Any thread -------------------------------------------------------------------------------

Status Log::release(std::uint64_t applied) {
  if (parts_->failure.happened()) return parts_->failure.error();
  const Status released = parts_->segments.release(applied, durable_turn() + 1);
  if (!released) return parts_->failure.keep(released.error());
  return Ok{};
}

std::uint64_t Log::bytes_held() const { return parts_->segments.bytes_held(); }

}  // namespace baton::store::local
