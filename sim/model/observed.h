// What a turn wrote, arranged for the model to look things up: history entries by job and sequence
// number, with their place among all changes. Where the rules leave an order or a random number
// open, the model takes over what it finds here, after checking that it is allowed. Every entry
// must be asked for once; what is left over was invented by the machine.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/state.h"
#include "store/local/machine/machine.h"

namespace baton::sim {

struct SeenEntry {
  std::size_t place = 0;  // rises with time
  HistoryEntry entry;
  const store::local::JobChange* change = nullptr;
  // Set: it follows at once when the job is told that another one ended.
  const store::local::WaitOver* told = nullptr;
  bool used = false;
};

class Observed {
 public:
  explicit Observed(const store::local::Turn& turn);

  // nullptr when the turn has no such entry.
  SeenEntry* entry(const JobId& job, std::int64_t seq);

  // The jobs that `parent` made in this turn, in the order of their making.
  std::vector<const store::local::JobChange*> children_of(const JobId& parent) const;
  // The change that made the job, or nullptr.
  const store::local::JobChange* made(const JobId& job) const;
  const std::vector<JobId>& gone() const { return gone_; }
  const std::vector<const store::local::WaitOver*>& waits_over() const { return waits_over_; }
  std::size_t made_count() const { return made_.size(); }

  // An entry that nobody asked for, or nullptr.
  const SeenEntry* left_over() const;

 private:
  std::vector<SeenEntry> entries_;
  std::vector<const store::local::JobChange*> made_;
  std::vector<JobId> gone_;
  std::vector<const store::local::WaitOver*> waits_over_;
};

}  // namespace baton::sim
