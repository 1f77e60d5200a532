#include "wire/bytes.h"
#include "wire/shapes.h"

namespace baton::wire {
namespace {

void read_payload(RowInput& in, Submission& out) { out.payload = in.json.raw(); }
void read_payload_base64(RowInput& in, Submission& out) { out.payload = read_base64(in); }

void write_payload(RowOutput& out, std::string_view, const Submission& job) {
  if (job.payload.empty() && job.content_type == kJson) return;
  write_bytes(out, kPayloadNames, job.payload, job.content_type);
}

constexpr Row<Submission> kSubmission[] = {
    always<&Submission::type>("type"),
    always<&Submission::queue>("queue"),
    {"payload", read_payload, write_payload, kNullIsAValue},
    {"payload_base64", read_payload_base64},
    {"content_type", read_member<&Submission::content_type>},
    field<&Submission::priority>("priority"),
    field<&Submission::delay>("delay_ms"),
    field<&Submission::run_at>("run_at"),
    field<&Submission::idempotency_key>("idempotency_key"),
    field<&Submission::idempotency>("idempotency"),
    field<&Submission::unique>("unique"),
    field<&Submission::retry>("retry"),
    field<&Submission::timeouts>("timeouts"),
    field<&Submission::timeout_is>("timeout_is"),
    field<&Submission::system_is>("system_is"),
    field<&Submission::depends_on>("depends_on"),
    field<&Submission::tags>("tags"),
    field<&Submission::correlation_id>("correlation_id"),
    field<&Submission::callback_url>("callback_url"),
    field<&Submission::account>("account"),
    field<&Submission::cost>("cost"),
    field<&Submission::draft>("draft"),
    field<&Submission::traceparent>("traceparent"),
    field<&Submission::ref>("ref"),
};

void check_submission(RowInput& in, Submission& out, const Found& found) {
  constexpr std::size_t kPayload = place_of<Submission>(kSubmission, "payload");
  constexpr std::size_t kBase64 = place_of<Submission>(kSubmission, "payload_base64");
  constexpr std::size_t kType = place_of<Submission>(kSubmission, "content_type");
  if (out.type.empty()) return in.json.refuse_member("type", "is required");
  if (found.given[kPayload] && found.given[kBase64]) {
    return in.json.refuse_member("payload_base64", "excludes payload");
  }
  if (found.given[kBase64]) {
    if (!found.given[kType]) out.content_type = "application/octet-stream";
    return;
  }
  if (out.content_type != kJson) {
    return in.json.refuse_member("content_type",
                                 "other than application/json needs payload_base64");
  }
  if (!found.given[kPayload]) out.payload = "null";
}

}  // namespace

// clang-format off
template <> Table<Submission> table_of<Submission>() { return {kSubmission, check_submission}; }
template <> Table<Batch> table_of<Batch>() { return {kBatchRows<Batch>}; }
// clang-format on

}  // namespace baton::wire
