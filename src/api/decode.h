// Requests as JSON, read into the commands of the store: one function for each shape. What is not
// JSON, has the wrong shape, lacks a member or brings one that nobody knows is refused with
// bad_request and the field's path; whether values are allowed is for the store. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baton/result.h"
#include "store/commands.h"

namespace baton::api {

using SubmissionPtr = std::shared_ptr<const Submission>;

Result<SubmissionPtr> decode_submission(std::string_view body);
Result<store::SubmitBatch> decode_batch(std::string_view body);

// A claim, and how long it may wait for a first job.
struct ClaimBody {
  ClaimRequest request;
  Duration wait{};
};
Result<ClaimBody> decode_claim(std::string_view body);

// The body of a worker's call; `kind` and `execution` are in its path.
Result<WorkCall> decode_work_call(std::string_view body, CallKind kind,
                                         const ExecutionId& execution);

struct WorkBatch {
  std::vector<WorkCall> calls;  // in their order
  std::optional<ClaimBody> claim;
};
Result<WorkBatch> decode_work_batch(std::string_view body);

struct CancelBody {
  bool force = false;
  std::string reason;
};
Result<CancelBody> decode_cancel(std::string_view body);  // may be empty
Result<std::string> decode_reject(std::string_view body);
Result<PatchJob> decode_patch(std::string_view body, const JobId& id);
Result<QueueUpdate> decode_queue(std::string_view body, std::string name);
Result<GrantCredits> decode_grant(std::string_view body, std::string account);

enum class BulkAction : std::uint8_t { kCancel, kRetry, kDelete };

struct BulkBody {
  BulkAction action = BulkAction::kCancel;
  store::ListJobs filter;
  bool dry_run = true;
};
Result<BulkBody> decode_bulk(std::string_view body);

}  // namespace baton::api
