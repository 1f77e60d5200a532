#include "sim/world/outages.h"

#include <algorithm>
#include <limits>

#include "sim/disk/same_lists.h"
#include "sim/disk/same_rows.h"
#include "sim/model/mismatch.h"

namespace baton::sim {
namespace {

using base::SimulatedDisk;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kDiskPurpose = 4;
constexpr int kNoFaults = -1;  // in place of a chance
constexpr int kFailingOpeningsAtMost = 4;
constexpr std::int64_t kLargestFree = 60'000;

constexpr const char* kPhaseNames[] = {"a turn", "a projection", "a closing", "an opening"};

}  // namespace

// ---- Faults -------------------------------------------------------------------------------------

// Arms one fault at most, somewhere in the operations that the phase usually takes.
void Outages::threaten(Phase phase, int stop_chance) {
  dice_ = Dice::for_step(plan_.seed, ++moments_, kDiskPurpose);
  SimulatedDisk& disk = node_.store().disk();
  operations_before_ = disk.operations();
  threatened_ = false;
  if (over_ || stop_chance < 0) return;
  const Mix& mix = *plan_.mix;
  const auto within = static_cast<std::int64_t>(usual_operations_[phase]);
  const auto soon = static_cast<std::uint64_t>(dice_.between(0, within));
  threatened_ = true;
  if (dice_.chance(stop_chance)) {
    disk.stop_at(disk.operations() + 1 + soon);
  } else if (dice_.chance(mix.disk_write_fails)) {
    disk.fail(SimulatedDisk::Fault::kWrite, soon / 2);
  } else if (dice_.chance(mix.disk_sync_fails)) {
    disk.fail(SimulatedDisk::Fault::kSync, soon / 8);
  } else if (dice_.chance(mix.disk_read_fails)) {
    disk.fail(SimulatedDisk::Fault::kRead, soon / 4);
  } else if (dice_.chance(mix.disk_full)) {
    disk.set_free_bytes(static_cast<std::uint64_t>(dice_.between(0, kLargestFree)));
  } else {
    threatened_ = false;
  }
}

// What has not failed by now will not.
void Outages::relent(Phase phase) {
  const std::uint64_t took = node_.store().disk().operations() - operations_before_;
  usual_operations_[phase] = std::max<std::uint64_t>(4, took);
  calm_disk();
}

void Outages::calm_disk() {
  SimulatedDisk& disk = node_.store().disk();
  if (!disk.stopped()) disk.stop_at(kNever);
  for (const auto kind :
       {SimulatedDisk::Fault::kRead, SimulatedDisk::Fault::kWrite, SimulatedDisk::Fault::kSync}) {
    disk.fail(kind, kNever);
  }
  disk.set_free_bytes(kNever);
}

void Outages::unexpected(const std::string& what, const Error& error) {
  const bool expected = threatened_ || node_.store().disk().stopped();
  if (!expected) witness_.found("a store works on a disk that works", what + error.message);
}

// ---- While all is well --------------------------------------------------------------------------

void Outages::begin() {
  if (node_.has_disk()) recover(std::nullopt);
}

void Outages::before_turn() {
  if (node_.has_disk()) threaten(kTurn, plan_.mix->disk_stops_turn);
}

void Outages::turn_failed(Step step, const Error& why) {
  step_ = step.number;
  witness_.note(std::string("a turn fails: ") + why.message);
  unexpected("a turn is not kept: ", why);
  if (!witness_.alarmed()) recover(std::move(step));
}

void Outages::turn_kept() {
  if (node_.has_disk()) relent(kTurn);
}

void Outages::after_turn(int step) {
  if (!node_.has_disk() || witness_.alarmed()) return;
  step_ = step;
  if (dice_.chance(plan_.mix->disk_projects)) project();
  if (!over_ && !witness_.alarmed() && dice_.chance(plan_.mix->disk_lists)) list();
  if (!over_ && !witness_.alarmed() && dice_.chance(plan_.mix->disk_closes)) close_in_order();
}

// The catalog gets all turns; false when the store had to be opened again.
bool Outages::catch_up() {
  while (true) {
    const auto projected = node_.store().data().project(std::numeric_limits<std::size_t>::max());
    if (projected && !*projected) return true;
    if (projected) continue;
    unexpected("a projection fails: ", projected.error());
    if (!witness_.alarmed()) recover(std::nullopt);
    return false;
  }
}

void Outages::list() {
  if (!catch_up()) return;
  witness_.note("jobs are listed");
  try {
    compare_lists(node_.store().data(), node_.rows(), dice_);
  } catch (const Mismatch& wrong) {
    witness_.found("a list is what the rows say", wrong.what);
  }
}

void Outages::project() {
  threaten(kProjection, plan_.mix->disk_stops_projection);
  const auto changes = static_cast<std::size_t>(dice_.between(1, dice_.chance(500) ? 10 : 200));
  const auto projected = node_.store().data().project(changes);
  if (projected) {
    relent(kProjection);
    return;
  }
  witness_.note("a projection fails: " + projected.error().message);
  unexpected("a projection fails: ", projected.error());
  if (!witness_.alarmed()) recover(std::nullopt);
}

void Outages::close_in_order() {
  threaten(kClosing, plan_.mix->disk_stops_closing);
  const auto finished = node_.store().data().finish();
  witness_.note(finished ? "closed" : "a closing fails: " + finished.error().message);
  if (!finished) unexpected("a closing fails: ", finished.error());
  if (finished && dice_.chance(plan_.mix->disk_bits_turn)) turn_a_bit();
  if (!witness_.alarmed()) recover(std::nullopt);
}

// One bit of the catalog's file, as long as somebody looks at it.
void Outages::turn_a_bit() {
  calm_disk();
  SimulatedDisk& disk = node_.store().disk();
  const std::string name = "catalog.db";
  const auto file = disk.open(name, base::Access::kRead);
  const auto size = file ? (*file)->size() : Result<std::uint64_t>(file.error());
  if (!size || *size == 0) return;
  const auto bit =
      static_cast<std::uint64_t>(dice_.between(0, static_cast<std::int64_t>(*size * 8) - 1));
  witness_.note("bit " + std::to_string(bit) + " turns around");
  disk.flip_bit(name, bit);
  try {
    compare_what_is_left(node_.store().data(), node_.rows());
  } catch (const Mismatch& wrong) {
    witness_.found("nothing damaged is served", wrong.what);
  }
  disk.flip_bit(name, bit);
}

void Outages::compare_now() {
  if (!node_.has_disk() || witness_.alarmed()) return;
  try {
    compare_records(node_.store().data(), node_.rows());
  } catch (const Mismatch& wrong) {
    witness_.found("what is stored is what was acknowledged", wrong.what);
  }
}

void Outages::close_for_good(int step) {
  if (!node_.has_disk() || witness_.alarmed()) return;
  step_ = step;
  close_in_order();
  witness_.digest().add(static_cast<std::int64_t>(node_.store().disk().operations()));
}

// ---- Going down and coming back -----------------------------------------------------------------

void Outages::recover(std::optional<Step> interrupted) {
  for (int attempt = 0; !witness_.alarmed(); ++attempt) {
    const bool may_fail = attempt < kFailingOpeningsAtMost;
    go_down();
    if (witness_.alarmed() || !open(may_fail)) continue;
    if (!settle(interrupted)) return;
    interrupted.reset();
    compare_stored();
    if (witness_.alarmed()) return;
    if (!reopen(may_fail, interrupted)) continue;
    ask_everything();
    return;
  }
}

// The process ends, in good order or at some operation, and then the power goes or not.
void Outages::go_down() {
  SimulatedDisk& disk = node_.store().disk();
  dice_ = Dice::for_step(plan_.seed, ++moments_, kDiskPurpose);
  if (!disk.stopped() && node_.store().is_open()) {
    calm_disk();
    check_refusal();
    if (!over_ && dice_.chance(plan_.mix->disk_stops_closing)) {
      disk.stop_at(disk.operations() + static_cast<std::uint64_t>(dice_.between(1, 20)));
    }
  }
  node_.die();
  disk.set_free_bytes(kNever);
  const bool power = dice_.chance(plan_.mix->disk_power);
  if (power) {
    disk.crash();
  } else {
    disk.restart();
  }
  witness_.note(power ? "the power goes" : "the process ends");
  const std::int64_t most[] = {0, 50, 2'000, 180'000};
  board_.now.ms += dice_.between(0, most[dice_.weighted({40, 30, 25, 5})]);
}

// A store that could not keep something keeps nothing more, even if the disk works again.
void Outages::check_refusal() {
  auto& data = node_.store().data();
  if (!data.failure()) return;
  if (data.keep(board_.now, {}).ok() || data.project(1).ok()) {
    witness_.found("a store that failed refuses everything", "it went on after a failure");
  }
}

bool Outages::open(bool may_fail) {
  threaten(kOpening, may_fail ? plan_.mix->disk_stops_opening : kNoFaults);
  const auto opened = node_.store().open();
  relent(kOpening);
  if (opened) return true;
  witness_.note(std::string(kPhaseNames[kOpening]) + " fails: " + opened.error().message);
  unexpected("the store does not open: ", opened.error());
  return false;
}

// Finds out which turns are there, and whether they may be.
bool Outages::settle(const std::optional<Step>& interrupted) {
  const std::uint64_t last = node_.store().data().last_turn();
  const bool more = interrupted && !interrupted->turn.changes.empty();
  if (last < node_.durable() || last > node_.acknowledged() + (more ? 1 : 0)) {
    witness_.found("acknowledged turns are kept, and no others",
                   "the store ends with turn " + std::to_string(last) + ", turn " +
                       std::to_string(node_.durable()) + " was durable and turn " +
                       std::to_string(node_.acknowledged()) + " acknowledged");
    return false;
  }
  if (last > node_.acknowledged()) {
    witness_.note("the turn that failed was kept");
    node_.accept(interrupted->turn);
    witness_.see(*interrupted, node_);
  }
  if (last < node_.acknowledged()) witness_.note("bare heartbeats are forgotten");
  node_.forget_after(last);
  return !witness_.alarmed();
}

void Outages::compare_stored() {
  try {
    compare_catalog(node_.store().data(), node_.rows());
  } catch (const Mismatch& wrong) {
    witness_.found("what is stored is what was acknowledged", wrong.what);
  }
}

bool Outages::reopen(bool may_fail, std::optional<Step>& interrupted) {
  threaten(kTurn, may_fail ? plan_.mix->disk_stops_turn : kNoFaults);
  if (const auto loaded = node_.load(board_.now); !loaded) {
    unexpected("the machine cannot be loaded: ", loaded.error());
    return false;
  }
  for (std::size_t renewed = 0;; renewed += node_.tuning().leases_per_turn) {
    base::Random random = dice_.random();
    Step step{step_, board_.now, {}, true, {}, node_.decide_reopening(board_.now, random)};
    step.renewed = renewed;
    const auto kept = node_.keep(step.now, step.turn);
    relent(kTurn);
    if (!kept) {
      unexpected("one of the first turns is not kept: ", kept.error());
      interrupted = std::move(step);
      return false;
    }
    opened_at_ = board_.now;
    witness_.see(step, node_);
    if (!node_.is_reopening() || witness_.alarmed()) {
      ++openings_;
      witness_.look_at_all(step, node_);
      return true;
    }
    witness_.note("some leases are renewed");
    threaten(kTurn, may_fail ? plan_.mix->disk_stops_turn : kNoFaults);
  }
}

// The machine knows queues, counts and accounts as before.
void Outages::ask_everything() {
  std::vector<Command> commands;
  commands.emplace_back(store::local::GetStats{});
  for (const std::string& account : board_.accounts())
    commands.emplace_back(store::local::GetAccount{account});
  base::Random random = dice_.random();
  Step step{step_, board_.now, commands, false, node_.not_listed(), {}};
  step.turn = node_.decide(commands, board_.now, random);
  const auto kept = node_.keep(step.now, step.turn);
  threatened_ = false;
  if (!kept) unexpected("a turn is not kept: ", kept.error());
  if (kept) witness_.see(step, node_);
}

}  // namespace baton::sim
