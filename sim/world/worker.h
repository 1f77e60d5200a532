// Those who run jobs, well or badly: they claim, start, heartbeat, commit and finish; they also
// stall past their lease, die and leave everything behind, repeat calls, and come back long after
// another has their job. One object plays all the workers of a run. One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/world/board.h"
#include "sim/world/producer.h"

namespace baton::sim {

class Workers {
 public:
  Workers(Board& board, Producer& producer);

  // What some worker does next; nullopt when the one whose turn it is stalls.
  std::optional<Action> act(Dice& dice);

 private:
  // An execution that a worker believes to have.
  struct Held {
    ExecutionId execution;
    LeaseToken token;
    bool started = false;
    bool committed = false;
    bool cancel_seen = false;
  };
  struct Worker {
    std::string name;
    std::vector<Held> held;
    Time stalls_until;
    std::optional<WorkCall> unanswered;  // a call whose answer has not come
  };

  Action claim(Worker& worker, Dice& dice);
  Action call(Worker& worker, Dice& dice);
  Action send(Worker& worker, const WorkCall& call);
  std::optional<Action> come_back_late(Dice& dice);
  WorkCall make_call(CallKind kind, const Held& held, Dice& dice);
  AnyCall make_part(CallKind kind, Dice& dice);
  template <class One>
  One some_commit(Dice& dice);
  std::optional<Outcome> some_result(Dice& dice);
  Children some_children(Dice& dice);
  CallKind choose_kind(const Held& held, Dice& dice) const;
  void die(Worker& worker);
  void learn_claim(Worker& worker, const Answer& answer);
  void learn_call(Worker& worker, const WorkCall& call, const Answer& answer);
  void forget(Worker& worker, const ExecutionId& execution);

  Board& board_;
  Producer& producer_;
  std::vector<Worker> workers_;
  std::size_t busy_ = 0;  // the worker that acted last
  std::vector<Held> left_behind_;
};

}  // namespace baton::sim
