// A Machine that is driven by random commands, with everything that jobs can have: keys, tags,
// accounts, drafts, dependencies, children, failures, redrives, deletions. Its turns are what the
// catalog's tests apply. For tests only; the same seed gives the same turns.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "store/local/codec/codec.h"
#include "store/local/machine/machine.h"
#include "store/local/machine/rows.h"

namespace baton::store::local::testbed {

class RandomHistory {
 public:
  explicit RandomHistory(std::uint64_t seed);

  // The changes of one more turn, of some commands; there may be none.
  std::shared_ptr<const TurnChanges> turn();
  Time now() const { return now_; }

 private:
  struct Lease {
    ExecutionId execution;
    LeaseToken token;
  };

  bool chance(int percent) { return random_.below(100) < static_cast<std::uint64_t>(percent); }
  std::int64_t between(std::int64_t low, std::int64_t high);
  std::string name(const char* prefix, int count);
  JobId some_job();

  std::vector<Command> set_up();
  Command some_command();
  Command submit();
  std::shared_ptr<Submission> some_submission();
  AnyCall some_call(CallKind kind);
  Children some_children();
  Command work();
  Command operate();
  Command patch();
  Command upkeep();
  void learn(const Turn& turn);

  base::Random random_;
  base::Random machine_random_;
  Time now_{1'700'000'000'000};
  std::uint64_t turn_ = 0;
  Rows rows_;
  Machine machine_;
  std::vector<JobId> jobs_;
  std::vector<Lease> leases_;
};

}  // namespace baton::store::local::testbed
