#include "store/local/log/segments.h"

#include <algorithm>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/assert.h"
#include "base/disk_error.h"
#include "store/local/log/format.h"

namespace baton::store::local {
namespace {

constexpr std::uint64_t kFillBytes = 1ULL << 20;  // of one write while filling with zeros

}  // namespace

Segments::Segments(base::Disk& disk, Origin origin)
    : disk_(disk),
      log_id_(origin.log_id),
      segment_bytes_(origin.segment_bytes),
      manifest_(origin.manifest),
      next_number_(origin.next_number),
      spares_(std::move(origin.free_files)) {}

// ---- Taking and retiring ----------------------------------------------------------------------

std::optional<OpenSegment> Segments::take_ready() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ready_, std::nullopt);
}

Result<OpenSegment> Segments::take(std::uint64_t bytes, std::uint64_t first_turn) {
  const bool is_large = bytes > segment_bytes_;
  if (!is_large) {
    if (auto ready = take_ready()) return std::move(*ready);
  }
  const std::lock_guard lock(making_);
  auto ready = take_ready();
  if (ready && !is_large) return std::move(*ready);
  // Segments are read in the order of their numbers, so that the one that was ready for now can
  // not come after this one: it stays empty.
  if (ready) retire({ready->number, ready->bytes, 0, 0});
  return make(std::max(bytes, segment_bytes_), first_turn);
}

void Segments::retire(const RetiredSegment& segment) {
  const std::lock_guard lock(mutex_);
  retired_.push_back(segment);
}

// ---- Releasing --------------------------------------------------------------------------------

std::vector<RetiredSegment> Segments::take_applied(std::uint64_t applied) {
  const std::lock_guard lock(mutex_);
  const auto first = std::stable_partition(
      retired_.begin(), retired_.end(),
      [applied](const RetiredSegment& segment) { return segment.last_turn > applied; });
  std::vector<RetiredSegment> taken(first, retired_.end());
  retired_.erase(first, retired_.end());
  return taken;
}

Status Segments::release(std::uint64_t applied, std::uint64_t first_turn) {
  const std::lock_guard lock(making_);
  if (Status freed = free(take_applied(applied)); !freed) return freed;
  {
    const std::lock_guard ready_lock(mutex_);
    if (ready_) return Ok{};
  }
  auto made = make(segment_bytes_, first_turn);
  if (!made && base::is_disk_full(made.error())) return Ok{};
  if (!made) return made.error();
  const std::lock_guard ready_lock(mutex_);
  ready_ = std::move(made).value();
  return Ok{};
}

Status Segments::free(const std::vector<RetiredSegment>& segments) {
  std::uint64_t last_turn = 0;
  for (const RetiredSegment& segment : segments)
    last_turn = std::max(last_turn, segment.last_turn);
  if (manifest_ != nullptr && last_turn != 0) {
    if (Status told = manifest_->set_applied(last_turn); !told) return told;
  }
  std::vector<std::string> freed;
  for (const RetiredSegment& segment : segments) {
    const std::string name = segment_name(segment.number, SegmentState::kInUse);
    const bool keep = segment.bytes == segment_bytes_ && spares_.size() + freed.size() < kSpares;
    if (keep) freed.push_back(segment_name(segment.number, SegmentState::kFree));
    Status done = keep ? disk_.rename(name, freed.back()) : disk_.remove(name);
    if (!done) return done;
    bytes_held_ -= segment.used;
  }
  // Before a file is overwritten it must have lost its name in the log for good.
  if (!freed.empty()) {
    if (Status synced = disk_.sync(); !synced) return synced;
  }
  spares_.insert(spares_.end(), freed.begin(), freed.end());
  return Ok{};
}

// ---- Making -----------------------------------------------------------------------------------

Status Segments::write_header(base::File& file, std::uint64_t bytes,
                              std::uint64_t first_turn) const {
  base::AlignedBuffer block(kSegmentHeaderBytes);
  write_segment_header({log_id_, next_number_, bytes, first_turn}, block.bytes());
  return file.write(0, block.bytes());
}

Status Segments::fill_with_zeros(base::File& file) const {
  base::AlignedBuffer zeros;
  zeros.append_zeros(std::min(kFillBytes, segment_bytes_));
  for (std::uint64_t at = 0; at < segment_bytes_; at += zeros.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(zeros.size(), segment_bytes_ - at);
    if (Status done = file.write(at, zeros.bytes().first(count)); !done) return done;
  }
  return Ok{};
}

// A free file that is as large as segments are now; null when there is none.
Result<std::unique_ptr<base::File>> Segments::reuse(std::string& name) {
  while (!spares_.empty()) {
    name = std::move(spares_.back());
    spares_.pop_back();
    auto file = disk_.open(name, base::Access::kDurableWrite);
    if (!file) return file.error();
    const auto bytes = (*file)->size();
    if (!bytes) return bytes.error();
    if (*bytes == segment_bytes_) return file;
    if (Status removed = disk_.remove(name); !removed) return removed.error();
  }
  return std::unique_ptr<base::File>();
}

// A file that is filled and has no header yet; `name` is what it is called for now.
Result<std::unique_ptr<base::File>> Segments::blank(std::uint64_t bytes, std::string& name) {
  const bool is_large = bytes != segment_bytes_;
  if (!is_large) {
    auto reused = reuse(name);
    if (!reused || *reused) return reused;
  }
  name = segment_name(next_number_, SegmentState::kNew);
  auto file = disk_.create(name, base::Access::kDurableWrite);
  if (!file) return file;
  // One record will be all that is in a large segment: zeros would be written for nothing.
  const Status filled = is_large ? (*file)->resize(bytes) : fill_with_zeros(**file);
  if (filled) return file;
  // A half-made file would take what little space there is.
  static_cast<void>(disk_.remove(name));
  return filled.error();
}

Result<OpenSegment> Segments::make(std::uint64_t bytes, std::uint64_t first_turn) {
  std::string name;
  auto file = blank(bytes, name);
  if (!file) return file.error();
  Status done = write_header(**file, bytes, first_turn);
  if (done) done = (*file)->sync();
  if (done) done = disk_.rename(name, segment_name(next_number_, SegmentState::kInUse));
  if (done) done = disk_.sync();
  if (!done) return done.error();
  return OpenSegment{next_number_++, bytes, std::move(file).value()};
}

}  // namespace baton::store::local
