// Ready jobs, in lanes by (queue, priority, type), so that a claim by type never walks over jobs of
// another type. A lane is a list through the slots in the order of their ready numbers; the lanes
// of one queue and priority are merged by the number at their front. A job whose priority changes
// while it is ready keeps its number: it stands aside, sorted. A lane without jobs is given to
// others, as is what merges the lanes of a queue. One thread at a time.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "store/local/machine/slots.h"

namespace baton::store::local {

class Lanes {
 public:
  explicit Lanes(Slots& slots) : slots_(slots) {}

  // The slot's ready number, queue, priority and type are set. Usually the number is the highest.
  void add(SlotIndex index);
  void remove(SlotIndex index);
  // Takes a ready job out of its lane for good: nobody is to be given it any more. `remove` is
  // still to come.
  void withdraw(SlotIndex index);
  bool is_withdrawn(SlotIndex index) const { return slots_[index].prev == index; }

  // The next job of the queue, of one of `types` if any are given; kNoSlot when there is none.
  SlotIndex front(std::uint32_t queue, std::span<const std::uint32_t> types) const;

  // How many jobs are ready, those that were withdrawn among them.
  std::int64_t size() const { return size_ + withdrawn_; }
  // How many lanes have jobs: no others are there.
  std::size_t lanes() const { return lane_by_name_.size(); }

 private:
  static constexpr std::size_t kNotInHeap = SIZE_MAX;

  struct Lane {
    SlotIndex first = kNoSlot;
    SlotIndex last = kNoSlot;
    std::map<std::int64_t, SlotIndex> aside;  // out of order, by ready number
    std::size_t heap_place = kNotInHeap;
  };
  // The lanes of one queue and priority that have jobs, as a heap by their front's ready number.
  using Heap = std::vector<std::uint32_t>;
  // Those of a queue.
  struct Heaps {
    std::array<Heap, lifecycle::kPriorityCount> by_priority;
    std::size_t lanes = 0;  // in them
  };
  static constexpr std::uint32_t kNoHeaps = UINT32_MAX;

  std::uint32_t lane_of(const Slot& slot);
  void free_lane(const Slot& slot, std::uint32_t lane);
  SlotIndex lane_front(const Lane& lane) const;
  std::int64_t front_number(std::uint32_t lane) const;
  const Heaps* heaps_of(std::uint32_t queue) const;  // nullptr when it has no ready jobs
  Heaps& make_heaps(std::uint32_t queue);
  Heap& heap_of(const Slot& slot);
  // Puts the lane where its front belongs, or takes it out when it is empty.
  void place(Heap& heap, std::uint32_t lane);
  void sift_up(Heap& heap, std::size_t at);
  void sift_down(Heap& heap, std::size_t at);
  void swap_places(Heap& heap, std::size_t a, std::size_t b);

  Slots& slots_;
  std::deque<Lane> lanes_;
  std::vector<std::uint32_t> free_lanes_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> lane_by_name_;  // queue, priority, type
  std::deque<Heaps> heaps_;
  std::vector<std::uint32_t> free_heaps_;
  std::vector<std::uint32_t> heaps_of_queue_;  // kNoHeaps: it has no ready jobs
  std::int64_t size_ = 0;                      // in lanes
  std::int64_t withdrawn_ = 0;  // ready jobs that stand in no lane; each is its own neighbour
};

}  // namespace baton::store::local
