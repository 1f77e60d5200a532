// Those who run the system: they cancel, force, reject, submit drafts, patch, retry, delete, pause,
// drain, change settings, grant credits and prune. Also the readers, who ask for statistics and
// explanations, and what sets a run up and lets it end. One thread.
#pragma once

#include <vector>

#include "sim/world/board.h"

namespace baton::sim {

class Operators {
 public:
  explicit Operators(Board& board) : board_(board) {}

  Action act(Dice& dice);
  Action read(Dice& dice);

  // The queues with their small limits, and some credits.
  std::vector<Command> set_up(Dice& dice);
  // Every queue open, nothing paused, no rate: what lets a run end.
  std::vector<Command> open_all();

 private:
  QueueUpdate limits_for(const QueueInfo& queue, Dice& dice);
  QueueUpdate some_settings(Dice& dice);
  PatchJob some_patch(Dice& dice);
  GrantCredits some_grant(Dice& dice);
  Action retry(Dice& dice);
  Action remove_queue(Dice& dice);

  Board& board_;
};

}  // namespace baton::sim
