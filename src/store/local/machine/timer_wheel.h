// Timers of slots: two for each, in a wheel of four levels of 256 buckets, one millisecond each at
// the lowest. Adding and cancelling cost the same however many there are. Times further ahead than
// the wheel reaches (49 days) wait in its last bucket and are placed again when it turns. The wheel
// remembers each timer's due time. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/time.h"

namespace baton::store::local {

using TimerIndex = std::uint32_t;

struct FiredTimer {
  TimerIndex timer = 0;
  Time due;
};

class TimerWheel {
 public:
  // Timers are numbered by their owner, from 0, without large gaps.
  TimerWheel();

  // Sets or moves a timer. A time that has passed fires at the next turn.
  void set(TimerIndex timer, Time due);
  // Nothing happens when it is not set.
  void clear(TimerIndex timer);
  // When the timer fires; unset when it is not set.
  Time due(TimerIndex timer) const;

  // Turns the wheel to `now`, takes out the timers that are due by then, and appends them to
  // `fired` in no stated order. It looks at no more than `most` timers: false when there may be
  // others that are due, which the next call goes on with.
  bool advance(Time now, std::vector<FiredTimer>& fired,
               std::size_t most = std::numeric_limits<std::size_t>::max());

  // No timer fires before this; unset when none is set. It is exact for timers in the current
  // 256 ms, and otherwise the time at which the wheel must turn to know better.
  Time next() const;

  std::int64_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kBits = 8;
  static constexpr std::uint32_t kBuckets = 1 << kBits;
  static constexpr std::uint32_t kLevels = 4;
  // Set to a time that had passed, or left over from a bucket that the wheel has reached.
  static constexpr std::uint32_t kOverdue = kBuckets * kLevels;
  static constexpr std::uint32_t kHeads = kOverdue + 1;

  struct Node {
    std::uint32_t prev = 0;
    std::uint32_t next = 0;
    std::int64_t due_ms = 0;  // 0: not set
  };

  // A bucket, and the time at which the wheel reaches it.
  struct Stop {
    std::int64_t at_ms;
    std::uint32_t head;
  };

  std::uint32_t bucket_for(std::int64_t due_ms) const;
  void link(std::uint32_t node, std::uint32_t head);
  void unlink(std::uint32_t node);
  bool is_empty(std::uint32_t head) const { return nodes_[head].next == head; }
  void drain(std::uint32_t head, Time now, std::vector<FiredTimer>& fired, std::size_t& left);
  void make_overdue(std::uint32_t head);
  void mark(std::uint32_t head) { occupied_[head / 64] |= std::uint64_t{1} << (head % 64); }
  void unmark(std::uint32_t head) { occupied_[head / 64] &= ~(std::uint64_t{1} << (head % 64)); }
  std::uint32_t next_occupied(std::uint32_t level, std::uint32_t from) const;
  Stop next_stop() const;

  std::vector<Node> nodes_;  // the heads of the buckets, then one for each timer
  std::array<std::uint64_t, kHeads / 64 + 1> occupied_{};
  std::int64_t now_ms_ = 0;  // everything due up to here has fired
  std::int64_t size_ = 0;
};

}  // namespace baton::store::local
