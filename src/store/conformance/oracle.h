// What must be true of every store at every moment, with the pure core as the judge: a job's state
// is what lifecycle::derive makes of its executions, its history replays to that state along rows
// of the transition table, what has ended never changes, the counters equal a recount, the ledgers
// balance. The oracle reads snapshots and reports what is wrong as failures of the running test.
// One thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/commands.h"

namespace baton::store::conformance {

struct AccountSnapshot {
  Account account;
  std::vector<LedgerEntry> entries;
};

// All that a store says at one moment.
struct Snapshot {
  Time now;
  bool timers_applied = false;                         // everything that was due has been applied
  std::vector<std::shared_ptr<const JobRecord>> jobs;  // in the order of the list
  Stats stats;
  std::map<std::string, AccountSnapshot> accounts;
};

class Oracle {
 public:
  // Looks at one record by itself, and compares it with what was seen of the job before.
  void observe(const std::shared_ptr<const JobRecord>& record);

  // Looks at everything together.
  void judge(const Snapshot& snapshot);

  // The test deleted the job, or closed the store that the records belong to.
  void forget(const JobId& id) { seen_.erase(id); }
  void forget_all() { seen_.clear(); }

  std::size_t known() const { return seen_.size(); }

 private:
  std::unordered_map<JobId, std::shared_ptr<const JobRecord>> seen_;
};

// The parts of a judgement, each in a file of its own.
void check_record(const JobRecord& record);
void check_successor(const JobRecord& before, const JobRecord& after);
void check_dependencies(const Snapshot& snapshot);
void check_family(const Snapshot& snapshot);
void check_counters(const Snapshot& snapshot);
void check_ledgers(const Snapshot& snapshot);

// The members in which two values differ, as text; empty when they say the same. Terms are compared
// by what they say: each record may bring its own copy.
std::string difference(const lifecycle::JobFacts& a, const lifecycle::JobFacts& b);

// Everything of a job in one line, for failures.
std::string describe(const JobRecord& record);

}  // namespace baton::store::conformance
