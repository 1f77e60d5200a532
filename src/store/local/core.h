// What all commands of the Machine share: the live jobs with every index over them, and the one
// function that applies a change. Commands (handlers.h) find jobs here, ask lifecycle::decide, and
// hand the change back to `apply`. One turn at a time; internal to the folder.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lifecycle/decide.h"
#include "store/local/accounts.h"
#include "store/local/keys.h"
#include "store/local/lanes.h"
#include "store/local/machine.h"
#include "store/local/queues.h"
#include "store/local/slots.h"
#include "store/local/stored.h"
#include "store/local/terms_table.h"
#include "store/local/timer_wheel.h"
#include "store/local/tuning.h"

namespace baton::store::local {

// A job that a command names: live, or ended and found in the archive.
struct FoundJob {
  SlotIndex slot = kNoSlot;  // kNoSlot: ended in an earlier turn
  lifecycle::Job facts;
  const ArchivedJob* archived = nullptr;  // set when it is not live; valid during the command
};

// Where the next look for jobs whose retention is over begins.
struct PrunePlace {
  Standing standing;
  EndedJob after;
  bool within = false;  // `standing` is not done; otherwise the next one is
};

// What a change brings beside the facts.
struct Brought {
  std::unique_ptr<JobTexts> texts;
  std::string worker;
  std::shared_ptr<const Submission> made;
  JobId parent;
  JobId redriven_from;
  std::unique_ptr<Birth> birth;

  JobTexts& text();  // made when it is not there
  Birth& born();     // likewise
};

class Core {
 public:
  explicit Core(const Archive& archive, const Tuning& tuning = {})
      : archive_(archive), tuning_(tuning), lanes(slots) {}

  // Opens a turn: forgets jobs that ended in the one before, and fires what is due.
  void begin(Time now, base::Random& random, Turn& turn);

  Time now() const { return now_; }
  std::uint64_t random() { return random_->next(); }
  base::Random& random_source() { return *random_; }
  const Archive& archive() const { return archive_; }
  Turn& turn() { return *turn_; }
  std::int64_t fired() const { return fired_; }

  // A command begins: what was looked up for those before it may be forgotten.
  void begin_command();

  // ---- Looking up (lookup.cc). Errors are the archive's, and those that are named. --------------

  // The job with its due timers applied; not_found when nobody knows the id.
  base::Result<FoundJob> find(const JobId& id);
  // An ended job that is not in memory; nullptr when nobody knows it. Each is read once in a
  // command.
  base::Result<const ArchivedJob*> archived(const JobId& id);
  // The whole record of a known job, with what this turn changed; not_found likewise.
  base::Result<std::shared_ptr<const JobRecord>> record(const JobId& id);
  // The token of one of a job's executions, if it has that many.
  base::Result<std::optional<LeaseToken>> token(const JobId& id, int attempt);
  // The state of any known job; kNone when nobody knows it.
  base::Result<lifecycle::JobState> state_of(const JobId& id);
  // The jobs that a job's commit made; some may be deleted.
  base::Result<std::vector<JobId>> children_of(const JobId& parent);
  // Adds the children of an ended parent to a FAN_IN group; `wait` is called for each live one.
  // Nobody knows how a damaged child ended: it counts as failed.
  template <class Wait>
  void count_children(const JobId& parent, lifecycle::GroupCount& count, Wait wait) {
    const auto children = children_of(parent);
    if (!children) {
      ++count.total;
      lifecycle::count_ending(count, lifecycle::JobState::kFailed);
      return;
    }
    for (const JobId& child : *children) {
      const auto known = state_of(child);
      const lifecycle::JobState state = known ? *known : lifecycle::JobState::kFailed;
      if (state == lifecycle::JobState::kNone) continue;
      ++count.total;
      if (lifecycle::is_terminal(state)) {
        lifecycle::count_ending(count, state);
      } else {
        wait(child);
      }
    }
  }
  // How often this command has asked the archive.
  std::size_t lookups() const { return lookups_; }
  bool is_gone(const JobId& id) const { return gone_.contains(id); }
  const Tuning& tuning() const { return tuning_; }

  // Jobs on the longest chain of unfinished dependencies that ends here; 0 for an ended job. The
  // bound is what it was at the submission, and cheap; the exact depth walks the chain, and becomes
  // the new bound.
  int depth_bound(const JobId& id) const;
  int exact_depth(const JobId& id);

  // Writes one change: slot, indexes, timers, rows, credits, and what follows from an ending.
  void apply(SlotIndex slot, const lifecycle::Change& change, Brought brought = {});
  // Moves whatever waited for jobs that ended; every command ends with it.
  void settle_dependents();

  // Takes up what a store kept, before the first turn (see machine.h).
  void begin_loading(Time now, std::int64_t last_number);
  void load(const StoredQueue& queue);
  void load(const StoredAccount& account);
  void load(const LiveJob& job);
  void load(const StoredKey& key);
  void finish_loading();
  void reopen(Time now, base::Random& random, Turn& turn);

  // A slot for a new job, in no state yet.
  SlotIndex add(const JobId& id, std::uint32_t queue, std::string_view type);
  void wait_for(const JobId& dependent, const Wait& wait);
  // Forgets a job and its records.
  void forget(const FoundJob& job, const JobId& id);
  // One posting of an account's ledger, with its row. It must be possible.
  void post(std::uint32_t account, lifecycle::PostingKind kind, Amount amount, const JobId& job,
            std::string grant_key = {});

  Time next_due() const;
  std::int64_t live() const { return live_; }
  std::vector<std::string> audit() const;

 private:
  struct Waiter {
    JobId dependent;
    std::uint32_t group = 0;
    bool named = true;  // the dependent lists the job; false: the job is a child of one it lists
  };

  void open_turn(Time now, base::Random& random, Turn& turn);
  void fire_timers();
  void settle(SlotIndex slot);
  void index_change(SlotIndex slot, const lifecycle::Change& change);
  void write_row(SlotIndex slot, const lifecycle::Change& change, Brought brought);
  void apply_effects(SlotIndex slot, const lifecycle::Change& change);
  void end(SlotIndex slot);
  void count_state(const Slot& slot, lifecycle::JobState state, std::int64_t by);
  void set_timers(SlotIndex slot, const lifecycle::Job& job);
  void load_extras(SlotIndex slot, const LiveJob& job);
  void notify(const Waiter& waiter, const JobId& ended, lifecycle::JobState ending);
  int exact_depth(const JobId& id, std::unordered_map<JobId, int>& known);
  void audit_slot(SlotIndex index, const Slot& slot, std::vector<std::string>& wrong) const;
  void audit_counts(std::vector<std::string>& wrong) const;

  // What the archive has of an ended job, as far as it was asked.
  struct LookedUp {
    ArchivedJob job;
    std::optional<std::vector<JobId>> children;
  };

  base::Result<LookedUp*> look_up(const JobId& id);
  void index_changes();

  const Archive& archive_;
  Tuning tuning_;
  std::size_t lookups_ = 0;
  boost::unordered_flat_map<JobId, std::unique_ptr<LookedUp>, std::hash<JobId>> looked_up_;
  // The changes of the turn by job, as far as they were indexed.
  boost::unordered_flat_map<JobId, std::vector<std::size_t>, std::hash<JobId>> changes_of_;
  std::size_t indexed_ = 0;
  Time now_;
  base::Random* random_ = nullptr;
  Turn* turn_ = nullptr;
  std::int64_t live_ = 0;
  std::int64_t fired_ = 0;
  std::int64_t last_number_ = 0;
  std::int64_t last_ready_ = 0;
  // Deleted in this turn; the archive still has them.
  boost::unordered_flat_set<JobId, std::hash<JobId>> gone_;
  std::vector<SlotIndex> ended_;  // in this turn; freed when the next one begins
  std::vector<SlotIndex> ready_at_load_;
  std::vector<SlotIndex> unsettled_;  // ended jobs whose dependents have not been looked at
  boost::unordered_flat_map<JobId, std::vector<Waiter>, std::hash<JobId>> waiters_;

 public:
  Slots slots;
  Lanes lanes;
  TimerWheel wheel;
  Queues queues;
  Names types;
  Accounts accounts;
  Keys keys;
  TermsTable terms;
  PrunePlace prune_place;
  Machine::ReadWatcher read_watcher;
};

}  // namespace baton::store::local
