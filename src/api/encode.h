// What the store answers, as JSON in the shapes of the contract: one function for each shape, each
// writing the value that comes next. Every listed field is there, null when it is unset. Any
// thread.
#pragma once

#include "api/filter.h"
#include "api/page.h"
#include "base/json_writer.h"
#include "engine/pace.h"
#include "store/commands.h"

namespace baton::api {

// About what a job takes without its payload, so that a buffer need not grow.
inline constexpr std::size_t kJobBytes = 1792;

// The job as the record has it.
void write_job(base::JsonWriter& json, const store::JobRecord& record, Included included = {});

// How a job is shown where it is one of many.
struct JobForm {
  Included included{};
  // Free texts are null, so that a job takes at most about 3 KB beside what is included.
  bool brief = false;
  std::string_view ref{};  // what a batch called it; a store resolves such names and keeps none
};
inline constexpr Included kNoBytes{false, false, false};
void write_job_as(base::JsonWriter& json, const store::JobRecord& record, const JobForm& form);
// A job that was just made from this submission, before anybody could change it.
void write_new_job(base::JsonWriter& json, const store::MadeJob& made,
                   const std::shared_ptr<const Submission>& spec,
                   const JobForm& form = {});

// What payload, result and checkpoint take in an answer at most.
std::size_t shown_bytes(const store::JobRecord& record);

// The members "result", "result_base64" and "result_content_type" of an object that is open
// already.
void write_result_members(base::JsonWriter& json, const store::JobRecord& record);

// {"history":[…]} and {"executions":[…]}, a page of each.
void write_history(base::JsonWriter& json, const store::JobRecord& record,
                   const Page<std::int64_t>& page);
void write_executions(base::JsonWriter& json, const store::JobRecord& record,
                      const Page<std::int64_t>& page);

// One element of a claim's answer. The record must be there.
void write_claimed(base::JsonWriter& json, const store::ClaimedJob& claimed, bool brief = false);
// The members of {"status","state","canonical_state"}, and those of a heartbeat's answer, inside an
// object that is open already.
void write_status_members(base::JsonWriter& json, const store::CallAnswer& answer);
void write_heartbeat_members(base::JsonWriter& json, const store::CallAnswer& answer);

void write_explanation(base::JsonWriter& json, const Explanation& explanation);
void write_queue(base::JsonWriter& json, const Queue& queue);
// A page of the queues, with how fast each goes, and all of them together.
void write_stats(base::JsonWriter& json, const Stats& stats, const engine::Pace& pace);
void write_account(base::JsonWriter& json, const Account& account);
void write_entry(base::JsonWriter& json, const LedgerEntry& entry);

}  // namespace baton::api
