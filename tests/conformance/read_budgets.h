// How many rows and bytes each command may read on the Machine's thread. The whole suite runs under
// these budgets: a command that reads more fails the test that it belongs to.
#pragma once

#include <gtest/gtest.h>

#include "store/local/machine/machine.h"
#include "store/work_call.h"

namespace baton::store::conformance {

struct ReadBudget {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
};

// A look-up of one job reads its id, its row, and once its kind and its terms.
inline constexpr std::int64_t kRowsOfJob = 4;
inline constexpr std::int64_t kBytesOfRow = 1024;
// An account is one row, with at most 500 submissions of its past hour; so is the key of a grant.
inline constexpr std::int64_t kBytesOfAccount = 4096;
inline constexpr std::int64_t kBytesOfRecord = std::int64_t{64} << 20;

class ReadBudgets {
 public:
  ReadBudget operator()(const SubmitBatch& batch) const { return submissions(batch.jobs); }
  ReadBudget operator()(const ClaimRequest&) const { return {}; }
  ReadBudget operator()(const WorkCall& call) const {
    // The children that were staged before are judged again with the commit.
    const bool makes = call.kind() == CallKind::kCommit || call.kind() == CallKind::kAck ||
                       !children_of(call).empty();
    return jobs(makes ? 2 + 2 * std::int64_t{lifecycle::kMaxBatch} : 2);
  }
  ReadBudget operator()(const local::WorkBatch& batch) const {
    ReadBudget all;
    for (const WorkCall& call : batch.calls) {
      all.rows += (*this)(call).rows;
      all.bytes += (*this)(call).bytes;
    }
    return all;
  }
  ReadBudget operator()(const RedriveJob&) const {
    return {3 * kRowsOfJob + 1, kBytesOfRecord + kBytesOfAccount};
  }
  ReadBudget operator()(const local::GetAccount&) const { return {1, kBytesOfAccount}; }
  ReadBudget operator()(const GrantCredits&) const { return {2, kBytesOfAccount + kBytesOfRow}; }
  ReadBudget operator()(const Prune& command) const {
    const std::int64_t rows =
        command.limit + static_cast<std::int64_t>(local::Tuning{}.rows_per_prune) + 200;
    return {rows, rows * 100};
  }
  // All others name one job at most.
  template <class Other>
  ReadBudget operator()(const Other&) const {
    return jobs(1);
  }

 private:
  static ReadBudget jobs(std::int64_t count) {
    return {count * kRowsOfJob, count * kRowsOfJob * kBytesOfRow};
  }
  static ReadBudget submissions(const std::vector<std::shared_ptr<const Submission>>& all) {
    std::int64_t named = 0;
    std::int64_t accounts = 0;
    bool fans_in = false;
    for (const auto& job : all) {
      named += 1;  // an earlier job with its key
      if (!job->account.empty()) ++accounts;
      for (const auto& group : job->depends_on) {
        named += static_cast<std::int64_t>(group.jobs.size());
        fans_in = fans_in || group.type == DependencyType::kFanIn;
      }
    }
    if (fans_in) named += static_cast<std::int64_t>(local::Tuning{}.rows_per_command);
    ReadBudget budget = jobs(named);
    budget.rows += accounts;
    budget.bytes += accounts * kBytesOfAccount;
    return budget;
  }
};

inline void expect_within_budget(const local::Command& command, const local::Reads& reads) {
  const ReadBudget budget = std::visit(ReadBudgets(), command);
  EXPECT_LE(reads.rows, budget.rows) << "rows read by command " << command.index();
  EXPECT_LE(reads.bytes, budget.bytes) << "bytes read by command " << command.index();
}

}  // namespace baton::store::conformance
