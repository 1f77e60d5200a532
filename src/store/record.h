// What a store keeps of a job: its row, its executions, its history. The same values come back to
// readers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "baton/queue.h"
#include "lifecycle/change.h"
#include "lifecycle/ledger.h"
#include "lifecycle/limits.h"
#include "lifecycle/quota.h"
#include "store/ids.h"

namespace baton::store {

// The core borrows the texts of failures; records own them.
Failure own(const lifecycle::FailureView& failure);
lifecycle::FailureView borrow(const Failure& failure);

// What a client may change after creation, besides the priority.
struct Labels {
  std::vector<std::pair<std::string, std::string>> tags;
  std::string correlation_id;
  std::string callback_url;

  friend bool operator==(const Labels&, const Labels&) = default;
};

struct ExecutionRecord {
  lifecycle::ExecutionFacts facts;
  std::string worker;
  std::optional<Failure> failure;

  friend bool operator==(const ExecutionRecord&, const ExecutionRecord&) = default;
};

struct JobRecord {
  JobId id;
  std::int64_t number = 0;  // rises with every job that the store makes: the order of creation
  std::shared_ptr<const Submission> spec;  // as submitted, with references resolved to ids
  lifecycle::JobFacts facts;
  Labels labels;
  std::optional<Failure> last_failure;
  std::string progress_message;
  std::string checkpoint;
  std::optional<Outcome> result;
  JobId parent;         // nil unless another job's execution spawned it
  JobId redriven_from;  // nil unless it is a copy of an ended job
  JobId redriven_to;    // its newest copy; nil unless there is one
  std::vector<JobId> children;
  std::string cancel_reason;                              // of a cancel that waits for the worker
  std::vector<std::shared_ptr<const Submission>> staged;  // children to be made at the commit
  std::vector<ExecutionRecord> executions;                // oldest first
  std::vector<HistoryEntry> history;                      // oldest first
};

// Copies of copies that are followed to the newest one.
inline constexpr int kMostCopies = 100;

// Whether the job ever went on from PENDING: what it waited for was met then.
bool has_left_pending(const JobRecord& record);

}  // namespace baton::store
