// Answers that are more than one shape of src/wire: pages of what belongs to a job, and the counts
// with how fast the queues go. Each function writes the value that comes next. Any thread.
#pragma once

#include <string_view>

#include "api/page.h"
#include "base/json_writer.h"
#include "engine/pace.h"
#include "store/record.h"
#include "wire/shapes.h"

namespace baton::api {

// About what a job takes without its payload, so that a buffer need not grow.
inline constexpr std::size_t kJobBytes = 1792;

// {"job":{…}}
std::string wrapped_job(const Job& job);

// {"history":[…]} and {"executions":[…]}, a page of each.
void write_history(base::JsonWriter& json, const store::JobRecord& record,
                   const PageRange<std::int64_t>& page);
void write_executions(base::JsonWriter& json, const store::JobRecord& record,
                      const PageRange<std::int64_t>& page);

// A page of the queues, with how fast each goes, and all of them together.
void write_stats(base::JsonWriter& json, const Stats& stats, const engine::Pace& pace);

// What payload, result and checkpoint take in an answer at most.
std::size_t shown_bytes(const store::JobRecord& record);

}  // namespace baton::api
