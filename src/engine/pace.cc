#include "engine/pace.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace baton::engine {
namespace {

constexpr int kReadAtOnce = 16;  // queues

}  // namespace

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

// Once for each piece of time.
void Pace::forget_old(std::int64_t piece) {
  if (piece == latest_) return;
  latest_ = piece;
  for (auto queue = queues_.begin(); queue != queues_.end();) {
    Pieces& pieces = queue->second;
    while (!pieces.empty() && pieces.front().number <= piece - static_cast<std::int64_t>(kPieces))
      pieces.pop_front();
    queue = pieces.empty() ? queues_.erase(queue) : std::next(queue);
  }
}

PaceCounts& Pace::counts_of(std::string_view queue, std::int64_t piece) {
  auto found = queues_.find(queue);
  if (found == queues_.end()) found = queues_.emplace(queue, Pieces{}).first;
  Pieces& pieces = found->second;
  if (pieces.empty() || pieces.back().number != piece) pieces.push_back({piece, {}});
  return pieces.back().counts;
}

std::size_t Pace::queues() const {
  const std::lock_guard lock(mutex_);
  return queues_.size();
}

void Pace::happened(const std::vector<store::Happening>& happenings) {
  using lifecycle::JobState;
  const std::lock_guard lock(mutex_);
  const std::int64_t piece = piece_now();
  forget_old(piece);
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
  std::map<std::string, Reading> all;
  while (read_some(all)) {
  }
  std::erase_if(all, [](const auto& queue) { return queue.second.span.ms == 0; });
  return all;
}

// The next few queues in the order of their names, so that the store's thread never waits for all
// of them; false when there are no more.
bool Pace::read_some(std::map<std::string, Reading>& all) const {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = piece_now();
  const std::int64_t first = now - static_cast<std::int64_t>(kPieces) + 1;
  const std::int64_t from_ms = std::max(first * kPiece.ms, began_ms_);
  const base::Duration span =
      base::milliseconds(std::max<std::int64_t>(clock_.monotonic().ms - from_ms, 1));
  auto queue = all.empty() ? queues_.begin() : queues_.upper_bound(all.rbegin()->first);
  for (int left = kReadAtOnce; queue != queues_.end() && left > 0; ++queue, --left) {
    Reading& reading = all[queue->first];
    for (const Piece& piece : queue->second) {
      if (piece.number < first) continue;
      reading.span = span;
      reading.counts.add(piece.counts);
    }
  }
  return queue != queues_.end();
}

}  // namespace baton::engine
