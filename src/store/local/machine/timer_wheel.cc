#include "store/local/machine/timer_wheel.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace baton::store::local {

TimerWheel::TimerWheel() : nodes_(kHeads) {
  for (std::uint32_t head = 0; head < kHeads; ++head)
    nodes_[head] = {head, head, 0};
}

// A timer stands at the level on which its time and the wheel's first differ, so that it comes
// down one level whenever the wheel reaches its bucket.
std::uint32_t TimerWheel::bucket_for(std::int64_t due_ms) const {
  const std::int64_t reach = (std::int64_t{1} << (kBits * kLevels)) - 1;
  if (due_ms <= now_ms_) return kOverdue;
  const std::int64_t at = std::min(due_ms, now_ms_ + reach);
  const auto distance = static_cast<std::uint64_t>(at ^ now_ms_);
  const auto top_bit = static_cast<std::uint32_t>(std::bit_width(distance)) - 1;
  const std::uint32_t level = std::min(top_bit / kBits, kLevels - 1);
  const auto place = static_cast<std::uint32_t>(at >> (kBits * level)) & (kBuckets - 1);
  return level * kBuckets + place;
}

void TimerWheel::link(std::uint32_t node, std::uint32_t head) {
  const std::uint32_t last = nodes_[head].prev;
  nodes_[node].prev = last;
  nodes_[node].next = head;
  nodes_[last].next = node;
  nodes_[head].prev = node;
  mark(head);
}

void TimerWheel::unlink(std::uint32_t node) {
  const std::uint32_t prev = nodes_[node].prev;
  const std::uint32_t next = nodes_[node].next;
  nodes_[prev].next = next;
  nodes_[next].prev = prev;
  // Only a bucket's head can be both neighbours.
  if (prev == next) unmark(prev);
}

void TimerWheel::set(TimerIndex timer, Time due) {
  BATON_ASSERT(due.is_set());
  const std::uint32_t node = kHeads + timer;
  if (node >= nodes_.size()) nodes_.resize(node + 1);
  if (nodes_[node].due_ms == due.ms) return;
  clear(timer);
  nodes_[node].due_ms = due.ms;
  link(node, bucket_for(due.ms));
  ++size_;
}

void TimerWheel::clear(TimerIndex timer) {
  const std::uint32_t node = kHeads + timer;
  if (node >= nodes_.size() || nodes_[node].due_ms == 0) return;
  unlink(node);
  nodes_[node].due_ms = 0;
  --size_;
}

Time TimerWheel::due(TimerIndex timer) const {
  const std::uint32_t node = kHeads + timer;
  return Time{node < nodes_.size() ? nodes_[node].due_ms : 0};
}

// Takes timers out of a bucket, as many as are `left`: those that are due fire, the others are
// placed anew.
void TimerWheel::drain(std::uint32_t head, Time now, std::vector<FiredTimer>& fired,
                       std::size_t& left) {
  for (; left > 0 && !is_empty(head); --left) {
    const std::uint32_t node = nodes_[head].next;
    unlink(node);
    if (nodes_[node].due_ms <= now.ms) {
      fired.push_back({node - kHeads, Time{nodes_[node].due_ms}});
      nodes_[node].due_ms = 0;
      --size_;
    } else {
      link(node, bucket_for(nodes_[node].due_ms));
    }
  }
}

// Hangs what is left of a bucket behind what is overdue, however much it is.
void TimerWheel::make_overdue(std::uint32_t head) {
  if (is_empty(head)) return;
  const std::uint32_t first = nodes_[head].next;
  const std::uint32_t last = nodes_[head].prev;
  const std::uint32_t before = nodes_[kOverdue].prev;
  nodes_[before].next = first;
  nodes_[first].prev = before;
  nodes_[last].next = kOverdue;
  nodes_[kOverdue].prev = last;
  nodes_[head].next = nodes_[head].prev = head;
  unmark(head);
  mark(kOverdue);
}

// The first occupied bucket of a level at or after `from`, or kBuckets.
std::uint32_t TimerWheel::next_occupied(std::uint32_t level, std::uint32_t from) const {
  const std::uint32_t words = kBuckets / 64;
  for (std::uint32_t word = from / 64; word < words; ++word) {
    std::uint64_t bits = occupied_[level * words + word];
    if (word == from / 64) bits &= ~std::uint64_t{0} << (from % 64);
    if (bits != 0) return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  return kBuckets;
}

// The next bucket that must be drained; only called when a timer is set. Every bucket in use lies
// ahead of the wheel's place on its level, but for the last level, which wraps around.
TimerWheel::Stop TimerWheel::next_stop() const {
  for (std::uint32_t level = 0;; ++level) {
    BATON_ASSERT(level < kLevels);
    const std::uint32_t shift = kBits * level;
    const std::int64_t here = now_ms_ >> shift;
    const auto place = static_cast<std::uint32_t>(here) & (kBuckets - 1);
    const std::int64_t round = here - place;
    const std::uint32_t ahead = next_occupied(level, place + 1);
    if (ahead < kBuckets) return {(round + ahead) << shift, level * kBuckets + ahead};
    const std::uint32_t wrapped = level == kLevels - 1 ? next_occupied(level, 0) : kBuckets;
    if (wrapped < kBuckets) {
      return {(round + kBuckets + wrapped) << shift, level * kBuckets + wrapped};
    }
  }
}

bool TimerWheel::advance(Time now, std::vector<FiredTimer>& fired, std::size_t most) {
  drain(kOverdue, now, fired, most);
  while (is_empty(kOverdue) && size_ > 0) {
    const Stop stop = next_stop();
    if (stop.at_ms > now.ms) break;
    now_ms_ = stop.at_ms;
    drain(stop.head, now, fired, most);
    // The wheel does not come to this bucket again.
    make_overdue(stop.head);
  }
  if (!is_empty(kOverdue)) return false;
  now_ms_ = std::max(now_ms_, now.ms);
  return true;
}

Time TimerWheel::next() const {
  if (size_ == 0) return {};
  if (!is_empty(kOverdue)) return Time{now_ms_};
  return Time{next_stop().at_ms};
}

}  // namespace baton::store::local
