#include "engine/pace.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace baton::engine {
namespace {

// A queue beside its pieces: its name, its place in the order and among the names.
constexpr std::size_t kQueueBytes = 192;

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

void TimeClasses::add(std::size_t index, std::uint32_t count) {
  const auto place =
      std::lower_bound(classes_.begin(), classes_.end(), index,
                       [](const Class& one, std::size_t wanted) { return one.index < wanted; });
  if (place != classes_.end() && place->index == index) {
    place->count += count;
  } else {
    classes_.insert(place, {static_cast<std::uint16_t>(index), count});
  }
  count_ += count;
}

void TimeClasses::add(Duration time) { add(class_of(time.ms), 1); }

void TimeClasses::add(const TimeClasses& other) {
  for (const Class& one : other.classes_)
    add(one.index, one.count);
}

Duration TimeClasses::percentile(double share) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count_)));
  std::int64_t seen = 0;
  for (const Class& one : classes_) {
    seen += one.count;
    if (seen >= wanted) return base::milliseconds(last_of(one.index));
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

// ---- What is kept -------------------------------------------------------------------------------

void Pace::drop_old(Pieces& pieces, std::int64_t piece) {
  const std::int64_t last_old = piece - static_cast<std::int64_t>(kPieces);
  const auto first = std::find_if(pieces.begin(), pieces.end(),
                                  [&](const Piece& one) { return one.number > last_old; });
  pieces.erase(pieces.begin(), first);
}

PaceCounts& Pace::counts_in(Pieces& pieces, std::int64_t piece) {
  if (pieces.empty() || pieces.back().number != piece) {
    drop_old(pieces, piece);
    pieces.push_back({piece, {}});
  }
  return pieces.back().counts;
}

// The queue, which is now the one in which something happened last.
Pace::Order::iterator Pace::tracked(std::string_view queue) {
  const auto found = by_name_.find(queue);
  if (found != by_name_.end()) {
    order_.splice(order_.end(), order_, found->second);
    return found->second;
  }
  order_.push_back({std::string(queue), {}, 0});
  const auto added = std::prev(order_.end());
  by_name_.emplace(added->name, added);
  return added;
}

void Pace::weigh(Tracked& queue) {
  std::size_t bytes = kQueueBytes + queue.name.size() + queue.pieces.capacity() * sizeof(Piece);
  for (const Piece& piece : queue.pieces)
    bytes += piece.counts.waited.bytes() + piece.counts.ran.bytes();
  bytes_ += bytes - queue.bytes;
  queue.bytes = bytes;
}

void Pace::forget(Order::iterator queue) {
  bytes_ -= queue->bytes;
  by_name_.erase(queue->name);
  order_.erase(queue);
}

// In which nothing happened for a minute, and those that are too many.
void Pace::forget_old(std::int64_t piece) {
  const std::int64_t last_old = piece - static_cast<std::int64_t>(kPieces);
  while (!order_.empty() && order_.front().pieces.back().number <= last_old)
    forget(order_.begin());
  while (bytes_ > most_bytes_ && order_.size() > 1)
    forget(order_.begin());
}

std::size_t Pace::queues() const {
  const std::lock_guard lock(mutex_);
  return order_.size();
}

std::size_t Pace::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

// ---- What happens -------------------------------------------------------------------------------

namespace {

void count(PaceCounts& counts, const store::Happening& one) {
  const HistoryEntry& step = one.step;
  if (step.from == JobState::kNone) ++counts.submitted;
  if (step.to == JobState::kRunning) {
    ++counts.started;
    counts.waited.add(step.at - one.since);
  }
  if (step.from == JobState::kRunning) counts.ran.add(step.at - one.since);
  if (step.to == JobState::kCompleted) ++counts.completed;
  if (is_bad_ending(step.to)) ++counts.failed;
}

}  // namespace

void Pace::happened(const std::vector<store::Happening>& happenings) {
  const std::lock_guard lock(mutex_);
  const std::int64_t piece = piece_now();
  PaceCounts& all = counts_in(all_, piece);
  const char* name = nullptr;
  auto queue = order_.end();
  PaceCounts* counts = nullptr;
  for (const store::Happening& one : happenings) {
    // Neighbours are mostly of one queue, whose name lies in one place.
    if (one.queue.data() != name) {
      if (counts != nullptr) weigh(*queue);
      queue = tracked(one.queue);
      counts = &counts_in(queue->pieces, piece);
      name = one.queue.data();
    }
    count(*counts, one);
    count(all, one);
  }
  if (counts != nullptr) weigh(*queue);
  forget_old(piece);
}

// ---- Reading ------------------------------------------------------------------------------------

Pace::Reading Pace::sum(const Pieces& pieces) const {
  const std::int64_t first = piece_now() - static_cast<std::int64_t>(kPieces) + 1;
  const std::int64_t from_ms = std::max(first * kPiece.ms, began_ms_);
  Reading reading;
  for (const Piece& piece : pieces) {
    if (piece.number < first) continue;
    reading.span = base::milliseconds(std::max<std::int64_t>(clock_.monotonic().ms - from_ms, 1));
    reading.counts.add(piece.counts);
  }
  return reading;
}

Pace::Reading Pace::read(const std::string& queue) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(queue);
  return found == by_name_.end() ? Reading{} : sum(found->second->pieces);
}

Pace::Reading Pace::read_all() const {
  const std::lock_guard lock(mutex_);
  return sum(all_);
}

}  // namespace baton::engine
