// The whole state of a local store that commands depend on, and the one place where they apply.
// The Machine holds no thread, no clock and no file: a turn is a pure step from one state to the
// next, given the commands, the time and the random numbers. A thread, a log or a simulator drives
// it. One caller at a time.
//
// In memory it has what is live: jobs that have not ended, ready lanes, timers, leases,
// dependencies, idempotency keys, accounts, queue settings. Payloads, results, messages and ended
// jobs are in the rows that its changes describe; it looks them up through the Archive.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/random.h"
#include "store/commands.h"
#include "store/local/machine/archive.h"
#include "store/local/machine/row_change.h"
#include "store/local/machine/stored.h"
#include "store/local/machine/terms_table.h"
#include "store/local/machine/tuning.h"

namespace baton::store::local {

struct ExplainJob {
  JobId id;
};

struct RemoveQueue {
  std::string name;
};

struct GetQueue {
  std::string name;
};

struct GetAccount {
  std::string id;
};

using GetStats = StatsPage;

// What was claimed cannot be read: the execution ends (lifecycle::Unreadable).
struct GiveBackUnread {
  JobId id;
  int attempt = 0;
};

// Calls of one worker, which are made durable and answered together.
struct WorkBatch {
  std::vector<WorkCall> calls;
};

struct WorkBatchAnswer {
  std::vector<Result<CallAnswer>> results;  // one for each call, in their order
};

using Command =
    std::variant<SubmitBatch, ClaimRequest, WorkCall, WorkBatch, CancelJob, RejectJob, SubmitDraft,
                 PatchJob, RedriveJob, DeleteJob, QueueUpdate, RemoveQueue, GrantCredits, RunTimers,
                 Prune, ExplainJob, GetQueue, GetAccount, GetStats, GiveBackUnread>;

// An Error, or the answer struct of the command.
using Answer =
    std::variant<Error, SubmitAnswer, ClaimAnswer, CallAnswer, WorkBatchAnswer, JobAnswer, Deleted,
                 Queue, Account, TimersAnswer, Pruned, Explanation, Stats>;

// What a turn does of that which happens by itself, without any command: timers that are due, and
// dependents that are to be told of an end.
enum class Background : std::uint8_t {
  kGoesOn,    // as much as a turn may
  kGivesWay,  // nothing; it is left for a later turn
};

struct Turn {
  std::vector<RowChange> changes;     // in the order in which they happened
  std::vector<Answer> answers;        // one for each command, in their order
  std::vector<Happening> happenings;  // every change of state, in their order
};

// Asked once in a turn, when its commands have been applied and made these happenings: commands
// that follow in the same turn.
using More = std::function<std::vector<Command>(const std::vector<Happening>&)>;

class Machine {
 public:
  // `archive` must outlive the machine and show, at the start of every turn, the rows as all the
  // changes of earlier turns leave them.
  // The terms of its jobs are kept in `terms`, which must outlive it too; nullptr: in a table of
  // its own.
  explicit Machine(const Archive& archive, const Tuning& tuning = {}, TermsTable* terms = nullptr);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Takes up what a store kept, before the first turn: `begin_loading`, then what stored.h lists,
  // in its order, then `finish_loading`. `reopen` is the first turn, and the next ones while the
  // machine is reopening: unfinished leases get one full term, some in each turn, and the last of
  // these turns applies what is due. Until then no lease ends and no other turn may come.
  void begin_loading(Time now, std::int64_t last_number);
  void load(const StoredQueue& queue);
  void load(const StoredAccount& account);
  void load(const LiveJob& job);
  void load(const StoredKey& key);
  void finish_loading();
  Turn reopen(Time now, base::Random& random);
  bool is_reopening() const;

  // Applies, in this order: calls of workers that arrived before a timer of their job fell due,
  // though it is due by now; what is due at `now`, jobs in the order in which they fell due and
  // then of their creation; the other commands, and then those that `more` has. Timers, and
  // dependents of jobs that ended, apply as many as the tuning allows one turn; the others are left
  // for the next. Timers of running jobs apply only when they fell due by `lease_horizon` (unset:
  // `now`); whoever sets it promises that every call that arrived by then was handed over. A job
  // that a command names is brought up to date also when the background gives way. `now` never
  // falls.
  Turn turn(const std::vector<Command>& commands, Time now, base::Random& random,
            const More& more = {}, Time lease_horizon = {},
            Background background = Background::kGoesOn);

  // Called after every command with what it read. For tests.
  using ReadWatcher = std::function<void(const Command& command, const Reads& reads)>;
  void watch_reads(ReadWatcher watcher);

  // When the next turn must come by itself: when something falls due; the last turn's `now` while
  // that turn left work, unless it gave way; unset when nothing will.
  Time next_due() const;
  // Whether the last turn left work, because it was too much or because it gave way.
  bool has_work_left() const;
  // Whether the last turn has not found all timers that are due; then it applied none.
  bool is_collecting() const;
  // When the first timer fell due that the last turn's lease horizon held back; unset when none.
  Time first_held() const;

  // Every disagreement between the machine's own indexes, and between them and the rows, as
  // sentences; empty when all is well. Slow: for tests and the simulator.
  std::vector<std::string> audit() const;

  // How many jobs have not ended.
  std::int64_t live_jobs() const;
  // How many accounts are in memory. For tests.
  std::size_t accounts_in_memory() const;

  // How many names are in memory, and lanes of ready jobs. For tests.
  struct Sizes {
    std::size_t queues = 0;
    std::size_t types = 0;
    std::size_t lanes = 0;
  };
  Sizes sizes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace baton::store::local
