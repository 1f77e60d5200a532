// Live jobs in memory, packed: one slot of about a hundred bytes each, and an index from id to
// slot. What only some jobs have (an execution, an account, dependencies, a key) stands in
// side tables. `load` and `store` translate between a slot and the facts that decisions take.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "lifecycle/dependency.h"
#include "lifecycle/job.h"
#include "store/local/machine/keys.h"
#include "store/local/machine/row_change.h"
#include "store/record.h"

namespace baton::store::local {

using SlotIndex = std::uint32_t;
inline constexpr SlotIndex kNoSlot = UINT32_MAX;

// What only some jobs have.
struct Extras {
  lifecycle::ExecutionFacts execution;  // the latest one, of a job that was claimed
  std::vector<std::shared_ptr<const Submission>> staged;  // children to be made at its commit
  std::uint32_t account = UINT32_MAX;
  Amount held = 0;
  Duration delay{};
  Key key;
  bool has_key = false;
  std::unique_ptr<HeldUnique> unique;  // null: it holds none
  std::string cancel_reason;           // of a request that its worker has not answered
  std::uint32_t checkpoint_bytes = 0;  // at least those of its checkpoint
  int depth = 1;  // an upper bound of the job's depth among unfinished dependencies
  std::vector<lifecycle::GroupCount> groups;
  std::vector<Wait> dependencies;  // every job it waits for or waited for
  std::vector<JobId> children;     // made by its commit
};

struct Slot {
  JobId id;
  std::int64_t number = 0;
  Time created_at;
  Time updated_at;
  Time scheduled_at;
  // SCHEDULED: its place among the ready jobs. CREATED, PENDING: not_before. Else: run_at.
  std::int64_t ready_or_time = 0;
  lifecycle::TermsRef terms;
  std::unique_ptr<Extras> extras;
  std::uint32_t queue = 0;
  std::uint32_t type = 0;
  SlotIndex prev = kNoSlot;  // neighbours in its lane
  SlotIndex next = kNoSlot;
  std::uint32_t version = 0;
  std::uint32_t history_count = 0;
  JobState state = JobState::kNone;
  Priority priority = Priority::kNormal;
  std::uint8_t flags = 0;
  std::uint8_t attempt = 0;
  std::uint8_t retry_count = 0;
  std::uint8_t release_count = 0;
  std::int8_t progress = lifecycle::kNoProgress;
  std::int8_t failure_category = -1;
  std::int8_t error_type = -1;
};

class Slots {
 public:
  Slots();

  // A fresh slot for a job with this id, which has none yet.
  SlotIndex add(const JobId& id);
  // Forgets the job. The index may be given to another one.
  void remove(SlotIndex index);

  SlotIndex find(const JobId& id) const;
  Slot& operator[](SlotIndex index) { return slots_[index]; }
  const Slot& operator[](SlotIndex index) const { return slots_[index]; }
  std::int64_t size() const { return static_cast<std::int64_t>(by_id_.size()); }

  lifecycle::JobFacts load(SlotIndex index) const;
  void store(SlotIndex index, const lifecycle::JobFacts& job);
  Extras& extras(SlotIndex index);  // made when it is not there
  std::uint8_t payload_class(SlotIndex index) const;

  template <class Visit>
  void for_each(Visit visit) const {
    for (SlotIndex index = 0; index < slots_.size(); ++index) {
      if (!slots_[index].id.is_nil()) visit(index, slots_[index]);
    }
  }

 private:
  struct Hash {
    using is_transparent = void;
    const std::deque<Slot>* slots;
    std::size_t operator()(SlotIndex index) const { return (*this)((*slots)[index].id); }
    std::size_t operator()(const JobId& id) const { return std::hash<JobId>{}(id); }
  };
  struct Equal {
    using is_transparent = void;
    const std::deque<Slot>* slots;
    bool operator()(SlotIndex a, SlotIndex b) const { return a == b; }
    bool operator()(SlotIndex a, const JobId& b) const { return (*slots)[a].id == b; }
    bool operator()(const JobId& a, SlotIndex b) const { return (*slots)[b].id == a; }
  };

  std::deque<Slot> slots_;
  std::vector<SlotIndex> free_;
  boost::unordered_flat_set<SlotIndex, Hash, Equal> by_id_;
};

}  // namespace baton::store::local
