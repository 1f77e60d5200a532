// The fixture of the call table: it can bring an execution into any situation and compare what a
// call does there with a row. For call_table.cc; other files only need the name.
#pragma once

#include "store/conformance/harness.h"

namespace baton::store::conformance {

// The situations of an execution, the columns of the table.
enum class Situation : std::uint8_t {
  kLeased,
  kInProgress,
  kCommitted,
  kDone,
  kAborted,           // by a nack; the job waits
  kLeaseOver,         // never committed
  kCommittedAndOver,  // COMMITTED when its lease ended: recovery has finished it
  kFormer,            // a later execution runs
  kFormerCommitted,   // a later execution has committed
};
inline constexpr std::size_t kSituationCount = 9;

class CallTable : public Suite {
 protected:
  // The call in every situation does what its row says, and what it refuses changes nothing.
  void expect_row(CallKind kind);
  // The same call with a token that is not the execution's changes nothing in any situation.
  void expect_wrong_token_refused(CallKind kind);

 private:
  ClaimedJob reach(Situation situation, bool ask_for_cancel);
  void bring(const ClaimedJob& claimed, Situation situation);
  void expect_cell(const WorkCall& call, const std::string& expected);

  int made_ = 0;
};

}  // namespace baton::store::conformance
