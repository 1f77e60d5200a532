// Bodies of requests that need more than their shape (src/wire): what the shape cannot know is
// checked here. What is not JSON, has the wrong shape, lacks a member or brings one that nobody
// knows is refused with bad_request and the field's path; whether values are allowed is for the
// store. Any thread.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "store/commands.h"
#include "wire/shapes.h"

namespace baton::api {

using SubmissionPtr = std::shared_ptr<const Submission>;

Result<SubmissionPtr> decode_submission(std::string_view body);  // has no ref: it is alone
Result<store::SubmitBatch> decode_batch(std::string_view body);
// The body of a worker's call; `kind` and `execution` are in its path.
Result<WorkCall> decode_call(std::string_view body, CallKind kind, const ExecutionId& execution);
Result<QueueUpdate> decode_queue(std::string_view body, std::string name);  // a profile that exists

// A body that may be empty.
template <class T>
Result<T> decode_if_any(std::string_view body, T start) {
  if (body.empty()) return start;
  return wire::read_request(body, std::move(start));
}

enum class BulkAction : std::uint8_t { kCancel, kRetry, kDelete };

struct BulkBody {
  BulkAction action = BulkAction::kCancel;
  store::ListJobs filter = {};
  bool dry_run = true;
};
Result<BulkBody> decode_bulk(std::string_view body);

}  // namespace baton::api

template <>
inline constexpr std::array<std::string_view, 3> baton::kNames<baton::api::BulkAction> = {
    "cancel", "retry", "delete"};
