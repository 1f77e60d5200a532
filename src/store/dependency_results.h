// What a claimed job's dependencies left behind, brought along with the claim: which jobs these
// are, and how much of their results fits. How one is looked up is each store's own. Any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "baton/result.h"
#include "store/commands.h"

namespace baton::store {

inline constexpr std::size_t kMaxDependencyResults = 100;  // of one execution
inline constexpr std::size_t kMaxClaimedResults = 10'000;  // of all executions of one claim
inline constexpr std::size_t kMaxInlineResult = std::size_t{16} << 10;
inline constexpr std::size_t kMaxInlineResults = std::size_t{256} << 10;  // of one execution

// How a store looks things up. Errors are its own.
struct DependencyLookUp {
  // The job's state and its result; a result of more than `most` bytes only by its size, and not
  // read to learn that. A job that is not there has no state.
  std::function<Result<DependencyResult>(const JobId& id, std::size_t most)> result;
  // The jobs that its commit made; none when it is not there.
  std::function<Result<std::vector<JobId>>(const JobId& id)> children;
  // The newest copy of it that a redrive made; nil when there is none.
  std::function<Result<JobId>(const JobId& id)> redriven_to;
};

// Whether the job depended on others, so that there is something to bring.
bool has_dependencies(const ClaimedJob& claimed);

// What the executions of one claim share.
struct ResultRoom {
  std::size_t bytes = 0;  // of results
  std::size_t jobs = kMaxClaimedResults;
};
// What is left when their payloads and checkpoints are shown.
ResultRoom room_for_results(const std::vector<ClaimedJob>& executions);

// Fills in the results of one execution whose record is there, and takes what is shown from `left`.
// On an error some may be there.
Status bring_dependency_results(ClaimedJob& claimed, const DependencyLookUp& look_up,
                                ResultRoom& left);

// One of them, out of what a job is and has. `result` may be nullptr.
DependencyResult dependency_result(const JobId& id, const lifecycle::JobFacts& facts,
                                   const Outcome* result, std::size_t most);

}  // namespace baton::store
