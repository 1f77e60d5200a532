#include "api/decode.h"

#include "api/answer.h"
#include "api/filter.h"
#include "lifecycle/limits.h"
#include "lifecycle/profile.h"

namespace baton::api {
namespace {

using wire::RowInput;

static_assert(wire::kMaxComparedTags == lifecycle::kMaxTags);

// Whether every job passes. Members that are null do not make a filter.
bool lets_all_pass(const JobFilter& filter) {
  return !filter.queue && !filter.state && !filter.canonical_state && !filter.type &&
         !filter.parent && !filter.id_prefix && !filter.tag && !filter.correlation_id &&
         !filter.account && !filter.created_after.is_set() && !filter.created_before.is_set() &&
         (!filter.redriven || *filter.redriven == Redriven::kAll);
}

void read_filter(RowInput& in, BulkBody& out) { read_value<JobFilter>(in, out.filter); }

constexpr wire::Row<BulkBody> kBulk[] = {
    wire::field<&BulkBody::action>("action", wire::kRequired),
    {"filter", read_filter},
    wire::field<&BulkBody::dry_run>("dry_run"),
    {"cursor", [](RowInput& in, BulkBody& out) { out.filter.cursor = in.json.string(); }},
};

}  // namespace

Result<SubmissionPtr> decode_submission(std::string_view body) {
  auto job = wire::read_request<SubmissionPtr>(body);
  if (job && !(*job)->ref.empty()) return bad_request("ref is for batches only", "ref");
  return job;
}

Result<store::SubmitBatch> decode_batch(std::string_view body) {
  return wire::read_request<store::SubmitBatch>(
      body, {}, [](RowInput& in, store::SubmitBatch& out) {
        wire::read_rows<store::SubmitBatch>(in, out, wire::kBatchRows<store::SubmitBatch>);
      });
}

Result<WorkCall> decode_call(std::string_view body, CallKind kind, const ExecutionId& execution) {
  auto read = wire::read_request<wire::CallBody>(body, {.kind = kind, .execution = execution},
                                                 wire::read_call);
  if (!read) return read.error();
  return wire::call_of(std::move(*read));
}

Result<QueueUpdate> decode_queue(std::string_view body, std::string name) {
  auto update = wire::read_request<QueueUpdate>(body, {.name = std::move(name)});
  if (!update || !update->profile) return update;
  if (lifecycle::find_profile(*update->profile) != nullptr) return update;
  std::string names;
  for (const lifecycle::Profile* profile : lifecycle::all_profiles())
    names += (names.empty() ? "" : ", ") + std::string(profile->name);
  return bad_request("profile must be one of " + names, "profile");
}

Result<BulkBody> decode_bulk(std::string_view body) {
  auto read = wire::read_request<BulkBody>(
      body, {}, [](RowInput& in, BulkBody& out) { wire::read_rows<BulkBody>(in, out, kBulk); });
  if (!read) return read;
  store::ListJobs& filter = read->filter;
  if (lets_all_pass(filter)) return bad_request("filter must not be empty", "filter");
  if (!filter.cursor.empty()) {
    const auto number = parse_cursor(filter.cursor);
    if (!number) return bad_request("cursor is none", "cursor");
    filter.before_number = *number;
    filter.cursor.clear();
  }
  return read;
}

}  // namespace baton::api
