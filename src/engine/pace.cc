#include "engine/pace.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace baton::engine {

// Up to kParts each millisecond has a class of its own; from there a power of two has kParts.
std::size_t TimeClasses::class_of(std::int64_t ms) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(ms, 0));
  if (value < kParts) return static_cast<std::size_t>(value);
  const auto power = static_cast<std::size_t>(std::bit_width(value)) - 4;
  const std::size_t part = static_cast<std::size_t>(value >> power) - kParts;
  return std::min(kParts * (power + 1) + part, kClasses - 1);
}

std::int64_t TimeClasses::last_of(std::size_t index) {
  if (index < kParts) return static_cast<std::int64_t>(index);
  const std::size_t power = index / kParts - 1;
  const std::size_t part = index % kParts;
  return (static_cast<std::int64_t>(kParts + part + 1) << power) - 1;
}

void TimeClasses::add(base::Duration time) {
  ++counts_[class_of(time.ms)];
  ++count_;
}

void TimeClasses::add(const TimeClasses& other) {
  for (std::size_t i = 0; i < kClasses; ++i)
    counts_[i] += other.counts_[i];
  count_ += other.count_;
}

base::Duration TimeClasses::percentile(double share) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count_)));
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < kClasses; ++i) {
    seen += counts_[i];
    if (seen >= wanted && seen > 0) return base::milliseconds(last_of(i));
  }
  return {};
}

void PaceCounts::add(const PaceCounts& other) {
  submitted += other.submitted;
  started += other.started;
  completed += other.completed;
  failed += other.failed;
  waited.add(other.waited);
  ran.add(other.ran);
}

PaceCounts& Pace::counts_of(std::string_view queue, std::int64_t piece) {
  auto found = queues_.find(queue);
  if (found == queues_.end()) found = queues_.emplace(queue, Pieces{}).first;
  Piece& one = found->second[static_cast<std::size_t>(piece) % kPieces];
  if (one.number != piece) one = {piece, {}};
  return one.counts;
}

void Pace::happened(const std::vector<store::Happening>& happenings) {
  using lifecycle::JobState;
  const std::lock_guard lock(mutex_);
  const std::int64_t piece = piece_now();
  const char* queue = nullptr;
  PaceCounts* counts = nullptr;
  for (const store::Happening& one : happenings) {
    // Neighbours are mostly of one queue, whose name lies in one place.
    if (one.queue.data() != queue) {
      counts = &counts_of(one.queue, piece);
      queue = one.queue.data();
    }
    const lifecycle::HistoryEntry& step = one.step;
    if (step.from == JobState::kNone) ++counts->submitted;
    if (step.to == JobState::kRunning) {
      ++counts->started;
      counts->waited.add(step.at - one.since);
    }
    if (step.from == JobState::kRunning) counts->ran.add(step.at - one.since);
    if (step.to == JobState::kCompleted) ++counts->completed;
    if (lifecycle::is_bad_ending(step.to)) ++counts->failed;
  }
}

std::map<std::string, Pace::Reading> Pace::read() const {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = piece_now();
  const std::int64_t first = now - static_cast<std::int64_t>(kPieces) + 1;
  const std::int64_t from_ms = std::max(first * kPiece.ms, began_ms_);
  const base::Duration span =
      base::milliseconds(std::max<std::int64_t>(clock_.monotonic().ms - from_ms, 1));
  std::map<std::string, Reading> all;
  for (const auto& [name, pieces] : queues_) {
    for (const Piece& piece : pieces) {
      if (piece.number < first || piece.number > now) continue;
      Reading& reading = all[name];
      reading.span = span;
      reading.counts.add(piece.counts);
    }
  }
  return all;
}

}  // namespace baton::engine
