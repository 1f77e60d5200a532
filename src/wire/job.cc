// Jobs, what belongs to them, and what can be done to them.
#include "json/flaw.h"
#include "wire/bytes.h"
#include "wire/shapes.h"

namespace baton::wire {
namespace {

// ---- Members of a job that are more than a field

void read_payload(RowInput& in, Job& out) { own(out.spec).payload = in.json.raw(); }
void read_payload_base64(RowInput& in, Job& out) { own(out.spec).payload = read_base64(in); }
void write_payload(RowOutput& out, std::string_view, const Job& job) {
  write_bytes(out, kPayloadNames, job.spec->payload, job.spec->content_type);
}

void read_result(RowInput& in, Job& out) { own(out.result).bytes = in.json.raw(); }
void read_result_base64(RowInput& in, Job& out) { own(out.result).bytes = read_base64(in); }
void write_job_result(RowOutput& out, std::string_view, const Job& job) {
  write_result(out.json, job.result.get());
}

void read_checkpoint(RowInput& in, Job& out) {
  out.checkpoint = checkpoint_from_json(in.json.raw());
}
void write_checkpoint(RowOutput& out, std::string_view name, const Job& job) {
  out.key(name);
  json::find_flaw(job.checkpoint) ? out.json.null() : out.json.raw(job.checkpoint);
}

void write_ref(RowOutput& out, std::string_view name, const Job& job) {
  const std::string_view ref = out.form.ref.empty() ? job.spec->ref : out.form.ref;
  out.key(name);
  ref.empty() ? out.json.null() : out.json.string(ref);
}

// Assets have no URL yet.
void write_null(RowOutput& out, std::string_view name, const Job&) {
  out.key(name);
  out.json.null();
}

// The parts of a failure are members of their own; the first one that comes makes it.
template <auto Part>
void read_error(RowInput& in, Job& out) {
  if (!out.last_error) out.last_error.emplace();
  read_value(in, *out.last_error.*Part);
}
template <auto Failed, auto Part, class T>
void write_part(RowOutput& out, std::string_view name, const T& object) {
  out.key(name);
  const auto& failure = object.*Failed;
  !failure || is_unset(*failure.*Part) ? out.json.null() : write_value(out, *failure.*Part);
}
template <auto Part>
constexpr Row<Job> error_part(std::string_view name, Flags flags = kPlain) {
  return {name, read_error<Part>, write_part<&Job::last_error, Part, Job>, flags};
}
template <auto Part>
constexpr Row<Execution> failure_part(std::string_view name) {
  return {name, nullptr, write_part<&Execution::failure, Part, Execution>};
}

using Spec = Submission;

constexpr Row<Job> kJob[] = {
    field<&Job::id>("id", kRequired),
    always<&Job::profile>("profile"),
    always<&Job::state>("state"),
    always<&Job::canonical_state>("canonical_state", kRequired),
    field<&Job::attempt>("attempt"),
    field<&Job::max_attempts>("max_attempts"),
    field<&Job::retry_count>("retry_count"),
    field<&Job::release_count>("release_count"),
    field<&Job::max_retries>("max_retries"),
    always<&Job::spec, &Spec::type>("type"),
    always<&Job::spec, &Spec::queue>("queue"),
    {"payload", read_payload, write_payload, kPayloadPart},
    {"payload_base64", read_payload_base64},
    always<&Job::spec, &Spec::content_type>("content_type"),
    field<&Job::priority>("priority"),
    field<&Job::spec, &Spec::delay>("delay_ms"),
    field<&Job::spec, &Spec::idempotency_key>("idempotency_key", kFreeText),
    field<&Job::spec, &Spec::idempotency>("idempotency"),
    field<&Job::spec, &Spec::unique>("unique", kFreeText),
    field<&Job::retry>("retry"),
    field<&Job::timeouts>("timeouts"),
    field<&Job::timeout_is>("timeout_is"),
    field<&Job::system_is>("system_is"),
    field<&Job::spec, &Spec::depends_on>("depends_on", kFreeText),
    field<&Job::tags>("tags", kFreeText),
    field<&Job::correlation_id>("correlation_id", kFreeText),
    field<&Job::callback_url>("callback_url", kFreeText),
    field<&Job::spec, &Spec::account>("account", kFreeText),
    field<&Job::spec, &Spec::cost>("cost"),
    field<&Job::spec, &Spec::draft>("draft"),
    field<&Job::spec, &Spec::traceparent>("traceparent", kFreeText),
    {"ref", read_member<&Job::spec, &Spec::ref>, write_ref},
    field<&Job::created_at>("created_at"),
    field<&Job::updated_at>("updated_at"),
    field<&Job::scheduled_at>("scheduled_at"),
    field<&Job::run_at>("run_at"),
    field<&Job::started_at>("started_at"),
    field<&Job::completed_at>("completed_at"),
    error_part<&Failure::message>("last_error", kFreeText),
    error_part<&Failure::code>("last_error_code", kFreeText),
    error_part<&Failure::cause>("last_error_cause", kFreeText),
    field<&Job::error_type>("error_type"),
    error_part<&Failure::category>("failure_category"),
    field<&Job::progress>("progress"),
    field<&Job::progress_message>("progress_message", kFreeText),
    {"checkpoint", read_checkpoint, write_checkpoint, kCheckpointPart},
    field<&Job::cancel_requested>("cancel_requested"),
    {"result", read_result, write_job_result, kResultPart},
    {"result_base64", read_result_base64},
    {"result_content_type",
     [](RowInput& in, Job& out) { own(out.result).content_type = in.json.string(); }},
    {"result_url", nullptr, write_null},
    field<&Job::parent>("parent_id"),
    field<&Job::redriven_from>("redriven_from"),
    field<&Job::redriven_to>("redriven_to"),
    field<&Job::worker>("worker", kFreeText),
    field<&Job::previous_execution>("previous_execution_id"),
    field<&Job::version>("version"),
};

void check_job(RowInput&, Job& out, const Found& found) {
  Submission& spec = own(out.spec);  // there, even when the answer had none of its members
  // Lists leave payloads out.
  if (found.named[place_of<Job>(kJob, "payload")]) settle_null(spec.payload, spec.content_type);
  if (out.result) settle_null(own(out.result).bytes, out.result->content_type);
}

// ---- What belongs to a job

constexpr Row<Execution> kExecution[] = {
    field<&Execution::id>("execution_id"),
    {"job_id", nullptr,
     [](RowOutput& out, std::string_view name, const Execution& one) {
       out.key(name);
       write_value(out, one.id.job());
     }},
    field<&Execution::attempt>("attempt"),
    written<&Execution::attempt>("lease_version"),
    field<&Execution::status>("status"),
    field<&Execution::worker>("worker"),
    field<&Execution::previous_execution>("previous_execution_id"),
    field<&Execution::claimed_at>("claimed_at"),
    field<&Execution::started_at>("started_at"),
    field<&Execution::committed_at>("committed_at"),
    field<&Execution::finished_at>("finished_at"),
    field<&Execution::lease_expires_at>("lease_expires_at"),
    field<&Execution::deadline_at>("deadline_at"),
    field<&Execution::failure>("failure"),
    failure_part<&Failure::category>("failure_category"),
    failure_part<&Failure::message>("error"),
    failure_part<&Failure::code>("error_code"),
};

constexpr Row<HistoryEntry> kHistoryEntry[] = {
    field<&HistoryEntry::seq>("seq"),
    field<&HistoryEntry::from>("from"),
    always<&HistoryEntry::to>("to"),
    field<&HistoryEntry::trigger>("trigger"),
    field<&HistoryEntry::at>("at"),
    {"execution_id",
     [](RowInput& in, HistoryEntry& out) {
       ExecutionId id;
       read_value(in, id);
       out.attempt = id.attempt();
     },
     [](RowOutput& out, std::string_view name, const HistoryEntry& entry) {
       write_execution(out, name, out.job, entry.attempt);
     }},
    field<&HistoryEntry::actor>("actor"),
};

constexpr Row<Explanation> kExplanation[] = {
    field<&Explanation::id>("id", kRequired),
    always<&Explanation::state>("state"),
    always<&Explanation::canonical_state>("canonical_state"),
    always<&Explanation::code>("code"),
    always<&Explanation::sentence>("explanation"),
    field<&Explanation::until>("until"),
    field<&Explanation::waits_for>("waits_for"),
    field<&Explanation::worker>("worker"),
    field<&Explanation::worker_last_seen>("worker_last_seen"),
};

// Of the job that was made, its maker needs no more than this.
constexpr Row<Submitted> kMadeJob[] = {
    {"id", read_member<&Submitted::id>, nullptr, kRequired},
    {"canonical_state", read_member<&Submitted::canonical_state>, nullptr, kRequired},
};
constexpr Row<Submitted> kSubmitted[] = {
    {"job", [](RowInput& in, Submitted& out) { read_rows<Submitted>(in, out, kMadeJob); }},
    {"duplicate", read_member<&Submitted::duplicate>},
    {"payload_differs", read_member<&Submitted::payload_differs>},
};

// ---- Which jobs are meant

void read_tag(RowInput& in, JobFilter& out) {
  const std::string text = in.json.string();
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return in.json.refuse("must be key:value");
  out.tag.emplace(text.substr(0, colon), text.substr(colon + 1));
}

constexpr Row<JobFilter> kFilter[] = {
    field<&JobFilter::queue>("queue"),
    field<&JobFilter::state>("state"),
    field<&JobFilter::canonical_state>("canonical_state"),
    field<&JobFilter::type>("type"),
    field<&JobFilter::parent>("parent"),
    field<&JobFilter::id_prefix>("id_prefix"),
    {"tag", read_tag},
    field<&JobFilter::correlation_id>("correlation_id"),
    field<&JobFilter::account>("account"),
    field<&JobFilter::redriven>("redriven"),
    field<&JobFilter::created_after>("created_after"),
    field<&JobFilter::created_before>("created_before"),
};

// ---- What can be done to one

constexpr Row<RedriveJob> kRedrive[] = {
    always<&RedriveJob::again>("again"),
    always<&RedriveJob::drop_dependencies>("drop_dependencies"),
};
constexpr Row<CancelJob> kCancel[] = {
    always<&CancelJob::force>("force"),
    field<&CancelJob::reason>("reason"),
};

constexpr Row<RejectJob> kReject[] = {always<&RejectJob::reason>("reason")};

constexpr Row<PatchJob> kPatch[] = {
    field<&PatchJob::priority>("priority"),
    field<&PatchJob::run_at>("run_at"),
    field<&PatchJob::tags>("tags"),
    field<&PatchJob::correlation_id>("correlation_id"),
    field<&PatchJob::callback_url>("callback_url"),
    field<&PatchJob::version>("version"),
};

}  // namespace

// clang-format off
template <> Table<Job> table_of<Job>() { return {kJob, check_job}; }
template <> Table<Execution> table_of<Execution>() { return {kExecution}; }
template <> Table<HistoryEntry> table_of<HistoryEntry>() { return {kHistoryEntry}; }
template <> Table<Explanation> table_of<Explanation>() { return {kExplanation}; }
template <> Table<Submitted> table_of<Submitted>() { return {kSubmitted}; }
template <> Table<JobFilter> table_of<JobFilter>() { return {kFilter}; }
template <> Table<RedriveJob> table_of<RedriveJob>() { return {kRedrive}; }
template <> Table<CancelJob> table_of<CancelJob>() { return {kCancel}; }
template <> Table<NoMembers> table_of<NoMembers>() { return {}; }
template <> Table<RejectJob> table_of<RejectJob>() { return {kReject}; }
template <> Table<PatchJob> table_of<PatchJob>() { return {kPatch}; }
// clang-format on

}  // namespace baton::wire
