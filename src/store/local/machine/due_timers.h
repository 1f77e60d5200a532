// Timers that have fired and are still to be applied, in the order in which they fell due and then
// of the creation of their jobs. However many fall due at one instant, each turn takes some. Those
// of running jobs stand apart, because they may be held back: a lease does not end before every
// call that could extend it was heard. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "store/local/machine/slots.h"

namespace baton::store::local {

struct DueTimer {
  Time at;
  std::int64_t number = 0;  // of the job: a slot may have been given to another one
  SlotIndex slot = kNoSlot;

  friend auto operator<=>(const DueTimer&, const DueTimer&) = default;
};

class DueTimers {
 public:
  void add(const DueTimer& timer, bool running) { (running ? running_ : other_).push(timer); }

  // Takes out the first one; of running jobs only one that fell due by `horizon`.
  std::optional<DueTimer> take(Time horizon) {
    Heap* heap = &other_;
    if (has_running(horizon) && (other_.empty() || running_.top() < other_.top())) heap = &running_;
    if (heap->empty()) return std::nullopt;
    return heap->take_top();
  }
  bool empty() const { return other_.empty() && running_.empty(); }
  bool has_any(Time horizon) const { return !other_.empty() || has_running(horizon); }
  // When the first timer of a running job fell due; unset when there is none.
  Time first_running() const { return running_.empty() ? Time{} : running_.top().at; }

  // Timers for which there is memory.
  std::size_t capacity() const { return running_.capacity() + other_.capacity(); }

  template <class Visit>
  void for_each(Visit visit) const {
    running_.visit(visit);
    other_.visit(visit);
  }

 private:
  static constexpr std::size_t kKept = 1'024;  // memory for so many is not given back

  struct Heap : std::priority_queue<DueTimer, std::vector<DueTimer>, std::greater<>> {
    DueTimer take_top() {
      const DueTimer first = top();
      pop();
      // The largest instant is not remembered for ever.
      if (c.capacity() > kKept && c.size() < c.capacity() / 4) c.shrink_to_fit();
      return first;
    }
    std::size_t capacity() const { return c.capacity(); }
    template <class Visit>
    void visit(Visit& visit) const {
      for (const DueTimer& timer : c)
        visit(timer);
    }
  };
  bool has_running(Time horizon) const { return !running_.empty() && running_.top().at <= horizon; }

  Heap running_;
  Heap other_;
};

}  // namespace baton::store::local
