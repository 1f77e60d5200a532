#include "store/local/machine/lanes.h"

#include <utility>

#include "base/assert.h"

namespace baton::store::local {
namespace {

// Queues and types are numbered below 2^28 each.
std::uint64_t lane_name(std::uint32_t queue, std::size_t priority, std::uint32_t type) {
  return (std::uint64_t{queue} << 36) | (std::uint64_t{priority} << 32) | type;
}

}  // namespace

std::uint32_t Lanes::lane_of(const Slot& slot) {
  const auto priority = static_cast<std::size_t>(slot.priority);
  const auto [found, is_new] =
      lane_by_name_.try_emplace(lane_name(slot.queue, priority, slot.type), 0u);
  if (!is_new) return found->second;
  if (free_lanes_.empty()) {
    free_lanes_.push_back(static_cast<std::uint32_t>(lanes_.size()));
    lanes_.emplace_back();
  }
  found->second = free_lanes_.back();
  free_lanes_.pop_back();
  ++make_heaps(slot.queue).lanes;
  return found->second;
}

// It has no jobs, and is in no heap.
void Lanes::free_lane(const Slot& slot, std::uint32_t lane) {
  lane_by_name_.erase(lane_name(slot.queue, static_cast<std::size_t>(slot.priority), slot.type));
  free_lanes_.push_back(lane);
  std::uint32_t& heaps = heaps_of_queue_[slot.queue];
  if (--heaps_[heaps].lanes > 0) return;
  free_heaps_.push_back(heaps);
  heaps = kNoHeaps;
}

const Lanes::Heaps* Lanes::heaps_of(std::uint32_t queue) const {
  if (queue >= heaps_of_queue_.size() || heaps_of_queue_[queue] == kNoHeaps) return nullptr;
  return &heaps_[heaps_of_queue_[queue]];
}

Lanes::Heaps& Lanes::make_heaps(std::uint32_t queue) {
  if (queue >= heaps_of_queue_.size()) heaps_of_queue_.resize(queue + 1, kNoHeaps);
  std::uint32_t& heaps = heaps_of_queue_[queue];
  if (heaps == kNoHeaps) {
    if (free_heaps_.empty()) {
      free_heaps_.push_back(static_cast<std::uint32_t>(heaps_.size()));
      heaps_.emplace_back();
    }
    heaps = free_heaps_.back();
    free_heaps_.pop_back();
  }
  return heaps_[heaps];
}

SlotIndex Lanes::lane_front(const Lane& lane) const {
  if (lane.aside.empty()) return lane.first;
  const auto& [number, index] = *lane.aside.begin();
  if (lane.first == kNoSlot || number < slots_[lane.first].ready_or_time) return index;
  return lane.first;
}

std::int64_t Lanes::front_number(std::uint32_t lane) const {
  return slots_[lane_front(lanes_[lane])].ready_or_time;
}

Lanes::Heap& Lanes::heap_of(const Slot& slot) {
  return heaps_[heaps_of_queue_[slot.queue]].by_priority[static_cast<std::size_t>(slot.priority)];
}

void Lanes::add(SlotIndex index) {
  Slot& slot = slots_[index];
  const std::uint32_t name = lane_of(slot);
  Lane& lane = lanes_[name];
  if (lane.last != kNoSlot && slots_[lane.last].ready_or_time > slot.ready_or_time) {
    lane.aside.emplace(slot.ready_or_time, index);
    slot.prev = kNoSlot;
  } else {
    slot.prev = lane.last;
    slot.next = kNoSlot;
    (lane.last == kNoSlot ? lane.first : slots_[lane.last].next) = index;
    lane.last = index;
  }
  ++size_;
  place(heap_of(slot), name);
}

void Lanes::withdraw(SlotIndex index) {
  remove(index);
  slots_[index].prev = index;
  ++withdrawn_;
}

void Lanes::remove(SlotIndex index) {
  Slot& slot = slots_[index];
  if (is_withdrawn(index)) {
    slot.prev = kNoSlot;
    --withdrawn_;
    return;
  }
  const std::uint32_t name = lane_of(slot);
  Lane& lane = lanes_[name];
  if (lane.aside.erase(slot.ready_or_time) == 0) {
    (slot.prev == kNoSlot ? lane.first : slots_[slot.prev].next) = slot.next;
    (slot.next == kNoSlot ? lane.last : slots_[slot.next].prev) = slot.prev;
  }
  --size_;
  place(heap_of(slot), name);
  if (lane.heap_place == kNotInHeap) free_lane(slot, name);
}

SlotIndex Lanes::front(std::uint32_t queue, std::span<const std::uint32_t> types) const {
  const Heaps* heaps = heaps_of(queue);
  if (heaps == nullptr) return kNoSlot;
  for (std::size_t priority = 0; priority < lifecycle::kPriorityCount; ++priority) {
    if (types.empty()) {
      const Heap& heap = heaps->by_priority[priority];
      if (!heap.empty()) return lane_front(lanes_[heap.front()]);
      continue;
    }
    SlotIndex best = kNoSlot;
    for (const std::uint32_t type : types) {
      const auto found = lane_by_name_.find(lane_name(queue, priority, type));
      if (found == lane_by_name_.end()) continue;
      const SlotIndex front = lane_front(lanes_[found->second]);
      if (front == kNoSlot) continue;
      if (best == kNoSlot || slots_[front].ready_or_time < slots_[best].ready_or_time) best = front;
    }
    if (best != kNoSlot) return best;
  }
  return kNoSlot;
}

void Lanes::place(Heap& heap, std::uint32_t name) {
  Lane& lane = lanes_[name];
  const bool empty = lane_front(lane) == kNoSlot;
  if (empty) {
    const std::size_t at = lane.heap_place;
    swap_places(heap, at, heap.size() - 1);
    heap.pop_back();
    lane.heap_place = kNotInHeap;
    if (at < heap.size()) {
      sift_up(heap, at);
      sift_down(heap, at);
    }
    return;
  }
  if (lane.heap_place == kNotInHeap) {
    lane.heap_place = heap.size();
    heap.push_back(name);
  }
  sift_up(heap, lane.heap_place);
  sift_down(heap, lane.heap_place);
}

void Lanes::sift_up(Heap& heap, std::size_t at) {
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (front_number(heap[parent]) <= front_number(heap[at])) return;
    swap_places(heap, at, parent);
    at = parent;
  }
}

void Lanes::sift_down(Heap& heap, std::size_t at) {
  while (true) {
    std::size_t least = at;
    for (const std::size_t child : {2 * at + 1, 2 * at + 2}) {
      if (child < heap.size() && front_number(heap[child]) < front_number(heap[least])) {
        least = child;
      }
    }
    if (least == at) return;
    swap_places(heap, at, least);
    at = least;
  }
}

void Lanes::swap_places(Heap& heap, std::size_t a, std::size_t b) {
  std::swap(heap[a], heap[b]);
  lanes_[heap[a]].heap_place = a;
  lanes_[heap[b]].heap_place = b;
}

}  // namespace baton::store::local
