// Those who submit jobs: single ones and batches, chains and graphs, with keys and without, with
// delays, costs and drafts, now and then something that must be refused, and sometimes the very
// same batch again because its answer was lost. One thread.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "sim/world/board.h"

namespace baton::sim {

class Producer {
 public:
  explicit Producer(Board& board) : board_(board) {}

  Action act(Dice& dice);
  // A job for some queue, as one would submit it alone; also how workers make children.
  Submission make_job(Dice& dice);

 private:
  store::SubmitBatch make_batch(Dice& dice);
  store::SubmitBatch make_long_chain(Dice& dice);
  void add_identity(Submission& job, Dice& dice);
  void add_times(Submission& job, Dice& dice);
  void add_account(Submission& job, Dice& dice);
  void add_own_settings(Submission& job, const QueueInfo& queue, Dice& dice);
  void add_dependencies(Submission& job, Dice& dice);
  void make_odd(Submission& job, Dice& dice);
  void learn(const store::SubmitBatch& batch, const Answer& answer);

  Board& board_;
  std::deque<store::SubmitBatch> sent_;  // the latest ones
};

}  // namespace baton::sim
