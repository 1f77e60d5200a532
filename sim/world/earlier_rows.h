// The rows as they were after an earlier turn, to compare copies with that were made meanwhile:
// they follow the turns that nothing can take back, and stop while they are held. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "store/local/machine/rows.h"

namespace baton::sim {

class EarlierRows {
 public:
  // A turn that was acknowledged. What follows `durable` may still be forgotten.
  void add(std::uint64_t turn, const std::vector<store::local::RowChange>& changes,
           std::uint64_t durable);
  void forget_after(std::uint64_t turn);

  // The rows go no further until they are let go.
  void hold() { held_ = true; }
  void let_go() { held_ = false; }
  // The rows after this turn; not one before the turn at which they were held.
  const store::local::Rows& go_to(std::uint64_t turn);

 private:
  struct Later {
    std::uint64_t turn = 0;
    std::vector<store::local::RowChange> changes;
  };

  store::local::Rows rows_;
  std::deque<Later> later_;
  bool held_ = false;
};

}  // namespace baton::sim
