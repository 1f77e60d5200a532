// What all commands of the Machine share: the live jobs with every index over them, and the one
// function that applies a change. Commands (handlers.h) find jobs here, ask lifecycle::decide, and
// hand the change back to `apply`. One turn at a time; internal to the folder.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lifecycle/decide.h"
#include "store/local/machine/accounts.h"
#include "store/local/machine/counted_names.h"
#include "store/local/machine/due_timers.h"
#include "store/local/machine/keys.h"
#include "store/local/machine/lanes.h"
#include "store/local/machine/machine.h"
#include "store/local/machine/queues.h"
#include "store/local/machine/slots.h"
#include "store/local/machine/stored.h"
#include "store/local/machine/terms_table.h"
#include "store/local/machine/timer_wheel.h"
#include "store/local/machine/tuning.h"
#include "store/local/machine/unique_holders.h"

namespace baton::store::local {

// A job that a command names: live, or ended and found in the archive.
struct FoundJob {
  SlotIndex slot = kNoSlot;  // kNoSlot: ended in an earlier turn
  Time as_of;                // what was due by then has been applied
  lifecycle::JobFacts facts;
  const ArchivedJob* archived = nullptr;  // set when it is not live; valid during the command
  JobId redriven_to = {};                 // its newest copy; nil: none
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
  Core(const Archive& archive, const Tuning& tuning, TermsTable& terms_of_store)
      : archive_(archive), tuning_(tuning), lanes(slots), terms(terms_of_store) {}

  // Opens a turn: forgets jobs that ended in the one before. Timers of running jobs apply only when
  // they fell due by `lease_horizon`; unset: all of them.
  void begin(Time now, base::Random& random, Turn& turn, Time lease_horizon = {},
             Background background = Background::kGoesOn);
  // Applies timers that are due, as many as one turn may, and then tells dependents.
  void fire_timers();
  // The next ready job of the queue whose time is not over, of one of the `wanted` types if any are
  // given; kNoSlot when there is none.
  SlotIndex next_claimable(std::uint32_t queue, std::span<const std::uint32_t> wanted);

  Time now() const { return now_; }
  std::uint64_t random() { return random_->next(); }
  base::Random& random_source() { return *random_; }
  const Archive& archive() const { return archive_; }
  Turn& turn() { return *turn_; }
  std::int64_t fired() const { return fired_; }

  // A command begins: what was looked up for those before it may be forgotten.
  void begin_command();

  // ---- Looking up (lookup.cc). Errors are the archive's, and those that are named. --------------

  // The job with its due timers applied; not_found when nobody knows the id. `arrived`: when the
  // call came in that names it, if that counts.
  Result<FoundJob> find(const JobId& id, Time arrived = {});
  // An ended job that is not in memory; nullptr when nobody knows it. Each is read once in a
  // command.
  Result<const ArchivedJob*> archived(const JobId& id);
  // The whole record of a known job, with what this turn changed; not_found likewise.
  Result<std::shared_ptr<const JobRecord>> record(const JobId& id);
  // The token of one of a job's executions, if it has that many.
  Result<std::optional<LeaseToken>> token(const JobId& id, int attempt);
  // The state of any known job; kNone when nobody knows it.
  Result<JobState> state_of(const JobId& id);
  // The jobs that a job's commit made; some may be deleted.
  Result<std::vector<JobId>> children_of(const JobId& parent);
  // The newest copy that redrives made of the job, along their copies; the job itself when there is
  // none. It may have been deleted.
  Result<JobId> newest_copy(const JobId& id);
  // Adds the children of an ended parent to a FAN_IN group, each by its newest copy; `wait` is
  // called for each live one. Nobody knows how a damaged child ended: it counts as failed.
  template <class Wait>
  void count_children(const JobId& parent, lifecycle::GroupCount& count, Wait wait) {
    const auto children = children_of(parent);
    if (!children) {
      ++count.total;
      lifecycle::count_ending(count, JobState::kFailed, parent);
      return;
    }
    for (const JobId& made : *children) {
      const auto newest = newest_copy(made);
      const JobId child = newest ? *newest : made;
      const auto known = state_of(child);
      const JobState state = known ? *known : JobState::kFailed;
      if (state == JobState::kNone) continue;
      ++count.total;
      if (is_terminal(state)) {
        lifecycle::count_ending(count, state, child);
      } else {
        wait(child);
      }
    }
  }
  // How often this command has asked the archive.
  std::size_t lookups() const { return lookups_; }
  bool is_gone(const JobId& id) const { return gone_.contains(id); }
  const Tuning& tuning() const { return tuning_; }

  // Whether something fell due for the job after `arrived`, and nothing had before.
  bool fell_due_since(const JobId& id, Time arrived) const;
  // Whether anything may be due.
  bool may_be_due() const;
  // At least the number of jobs on the longest chain of unfinished dependencies that ends here; 0
  // for an ended job. It is what it was at the submission: DependencyWalk finds the exact one.
  int depth_bound(const JobId& id) const;
  // At least the size of the job's checkpoint.
  std::size_t checkpoint_bytes(SlotIndex slot) const {
    return slots[slot].extras ? slots[slot].extras->checkpoint_bytes : 0;
  }

  // Writes one change: slot, indexes, timers, rows, credits, and what follows from an ending.
  void apply(SlotIndex slot, const lifecycle::Change& change, Brought brought = {});
  // Moves whatever waited for jobs that ended, as many as one turn may; every command ends with it.
  void settle_dependents();
  // Whether somebody has still to be told how the ended job, or its parent, ended: then it cannot
  // go.
  bool is_untold(const JobId& id) const {
    return waiters_.contains(id) || untold_children_.contains(id);
  }

  // Takes up what a store kept, before the first turn (see machine.h).
  void begin_loading(Time now, std::int64_t last_number);
  void load(const StoredQueue& queue);
  void load(const StoredAccount& account) { accounts.load(account); }
  void load(const LiveJob& job);
  void load(const StoredKey& key);
  void finish_loading();
  void reopen(Time now, base::Random& random, Turn& turn);
  bool is_reopening() const { return !unrenewed_.empty(); }

  // The job takes a unique key, which nobody holds.
  void hold_unique(SlotIndex slot, const HeldUnique& unique);
  // A slot for a new job, in no state yet.
  SlotIndex add(const JobId& id, std::uint32_t queue, std::string_view type);
  void wait_for(const JobId& dependent, const Wait& wait);
  // Whether somebody waits for the job, or has still to be told that it ended.
  bool is_awaited(const JobId& id) const { return waiters_.contains(id); }
  // Whether a job waits for all children of `parent`. Looks at the first `most` that wait for it;
  // true when there are more.
  bool may_be_fanned_in(const JobId& parent, std::size_t most) const;
  // Gives a slot back, and what only it used.
  void free_slot(SlotIndex slot);
  // A copy was made of an ended job, whose version rises by it.
  void note_redrive(const FoundJob& job, const JobId& id, const JobId& to);
  // Whether the job has ended and somebody who waits for it has still to be told.
  bool is_ended_and_awaited(const JobId& id) const {
    const SlotIndex slot = slots.find(id);
    return waiters_.contains(id) && (slot == kNoSlot || is_terminal(slots[slot].state));
  }
  // Forgets a job and its records.
  void forget(const FoundJob& job, const JobId& id);
  // An account by its name, from the archive when it is not in memory; kNoName when nobody made
  // it. The index is valid during the command, unless a slot holds it.
  Result<std::uint32_t> account(const std::string& id);
  // What is shown of it; a guest with nothing when nobody made it.
  Result<Account> account_record(const std::string& id) const;
  // Whether the account was made a grant under this key; and that it is.
  Result<bool> has_grant(const std::string& account, const std::string& key) const;
  void note_grant(const std::string& account, const std::string& key);
  // The job is one of the account's.
  void set_account(SlotIndex slot, std::uint32_t account);
  // One posting of an account's ledger, with its row. It must be possible.
  void post(std::uint32_t account, PostingKind kind, Amount amount, const JobId& job,
            AccountNews news = {});

  // See machine.h.
  Time next_due() const;
  bool has_work_left() const;
  bool is_collecting() const { return !collected_; }
  // When the first timer fell due that is held back by the lease horizon; unset when none is.
  Time first_held() const;
  std::int64_t live() const { return live_; }
  std::vector<std::string> audit() const;

 private:
  struct Waiter {
    JobId dependent;
    std::uint32_t group = 0;
    bool named = true;  // the dependent lists the job; false: the job is a child of one it lists
  };

  // An ended job whose dependents have not all been told.
  struct Unsettled {
    JobId id;
    JobState ending = JobState::kNone;  // kNone: the archive knows it
    std::size_t next = 0;               // among its waiters
    std::vector<JobId> children;
  };

  void collect_due();
  void apply_due();
  bool is_current(const DueTimer& timer) const;
  void settle(SlotIndex slot);
  void index_change(SlotIndex slot, const lifecycle::Change& change);
  static void give_reason(const Slot& slot, const lifecycle::Change& change, JobTexts& texts);
  void write_row(SlotIndex slot, const lifecycle::Change& change, Brought brought);
  void apply_effects(SlotIndex slot, const lifecycle::Change& change);
  void give_unique_back(SlotIndex slot, const lifecycle::JobFacts& job);
  void end(SlotIndex slot);
  void count_state(const Slot& slot, JobState state, std::int64_t by);
  void set_timers(SlotIndex slot, const lifecycle::JobFacts& job);
  void load_extras(SlotIndex slot, const LiveJob& job);
  void notify(const Waiter& waiter, const JobId& ended, JobState ending);
  std::size_t cost_of(const Waiter& waiter, const Unsettled& ended) const;
  void add_unsettled(Unsettled ended);
  void drop_unsettled();
  void audit_slot(SlotIndex index, const std::set<DueTimer>& fired,
                  std::vector<std::string>& wrong) const;
  void audit_waiters(std::vector<std::string>& wrong) const;
  void audit_counts(std::vector<std::string>& wrong) const;
  void audit_waits(std::vector<std::string>& wrong) const;
  void audit_untold(std::vector<std::string>& wrong) const;
  void audit_accounts(std::vector<std::string>& wrong) const;
  void audit_uniques(std::vector<std::string>& wrong) const;

  // What the archive has of an ended job, as far as it was asked.
  struct LookedUp {
    ArchivedJob job;
    std::optional<std::vector<JobId>> children;
  };

  Result<LookedUp*> look_up(const JobId& id);
  void index_changes();

  const Archive& archive_;
  const Tuning tuning_;
  std::size_t lookups_ = 0;
  boost::unordered_flat_map<JobId, std::unique_ptr<LookedUp>, std::hash<JobId>> looked_up_;
  // The changes of the turn by job, as far as they were indexed.
  boost::unordered_flat_map<JobId, std::vector<std::size_t>, std::hash<JobId>> changes_of_;
  std::size_t indexed_ = 0;
  Time now_;
  Time lease_horizon_;
  base::Random* random_ = nullptr;
  Turn* turn_ = nullptr;
  std::int64_t live_ = 0;
  std::int64_t fired_ = 0;
  std::int64_t last_number_ = 0;
  std::int64_t last_ready_ = 0;
  // Deleted in this turn; the archive still has them.
  boost::unordered_flat_set<JobId, std::hash<JobId>> gone_;
  // Redriven in this turn; the archive does not know yet.
  boost::unordered_flat_map<JobId, JobRedriven, std::hash<JobId>> redriven_;
  std::set<std::pair<std::string, std::string>> granted_;  // account and key, in this turn
  std::vector<SlotIndex> ended_;  // in this turn; freed when the next one begins
  std::vector<SlotIndex> ready_at_load_;
  std::vector<JobId> awaited_at_load_;
  std::vector<SlotIndex> unrenewed_;  // leases that get a full term in the first turns, last first
  bool gives_way_ = false;            // in this turn, what happens by itself
  bool collected_ = true;             // the wheel has no timer that was due at the last turn
  DueTimers due_;
  std::vector<FiredTimer> fired_timers_;
  std::deque<Unsettled> unsettled_;  // in the order of their ends
  boost::unordered_flat_set<JobId, std::hash<JobId>> untold_children_;  // of these
  std::size_t told_ = 0;  // in this turn: endings told, and children looked at for it
  std::size_t copies_followed_ = 0;
  boost::unordered_flat_map<JobId, std::vector<Waiter>, std::hash<JobId>> waiters_;

 public:
  Slots slots;
  Lanes lanes;
  TimerWheel wheel;
  Queues queues;
  CountedNames types;  // of the jobs that have a slot
  Accounts accounts;
  Keys keys;
  UniqueHolders uniques;
  TermsTable& terms;
  PrunePlace prune_place;
  Machine::ReadWatcher read_watcher;
};

}  // namespace baton::store::local
