// What goes wrong with the disk under a node, and what must be true afterwards. It lets the process
// stop or the power go in the middle of turns, projections, closings and openings, makes single
// operations fail and the disk fill up; then it opens the store again and compares all of it with
// what was acknowledged. Does nothing to a node in memory. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/world/board.h"
#include "sim/world/dice.h"
#include "sim/world/witness.h"

namespace baton::sim {

class Outages {
 public:
  Outages(const RunPlan& plan, Board& board, Node& node, Witness& witness)
      : plan_(plan), board_(board), node_(node), witness_(witness) {}

  // Opens the store for the first time.
  void begin();
  // Perhaps the next turn will not be kept.
  void before_turn();
  // `step` could not be kept: opens the store again.
  void turn_failed(Step step, const Error& why);
  // The turn is kept.
  void turn_kept();
  // Now the catalog may follow, or the store be closed and opened.
  void after_turn(int step);
  // Everything that is kept is what it should be, seen with the turns that the catalog lacks.
  void compare_now();
  // Nothing goes wrong any more.
  void end() { over_ = true; }
  // When the store was opened last.
  Time opened_at() const { return opened_at_; }
  // How often it was opened.
  int openings() const { return openings_; }
  // Closes the store, opens it once more and compares.
  void close_for_good(int step);

 private:
  // What is under way when the disk fails; each takes a number of operations of its own.
  enum Phase : std::uint8_t { kTurn, kProjection, kClosing, kOpening, kPhases };

  void threaten(Phase phase, int stop_chance);
  void relent(Phase phase);
  void calm_disk();
  void project();
  bool catch_up();
  void list();
  void close_in_order();
  void turn_a_bit();
  void recover(std::optional<Step> interrupted);
  void go_down();
  void check_refusal();
  bool open(bool may_fail);
  bool settle(const std::optional<Step>& interrupted);
  void compare_stored();
  bool reopen(bool may_fail, std::optional<Step>& interrupted);
  void ask_everything();
  void unexpected(const std::string& what, const Error& error);

  const RunPlan& plan_;
  Board& board_;
  Node& node_;
  Witness& witness_;
  Dice dice_{0};
  std::uint64_t moments_ = 0;  // for which dice were made
  bool over_ = false;          // nothing goes wrong any more
  bool threatened_ = false;
  int step_ = 0;
  Time opened_at_;
  int openings_ = 0;
  std::uint64_t operations_before_ = 0;
  std::array<std::uint64_t, kPhases> usual_operations_ = {4, 40, 20, 60};
};

}  // namespace baton::sim
