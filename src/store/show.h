// What a store keeps, as it is shown to users: the one conversion from records to the types of
// include/baton. Payloads and results are shared with the record, not copied. Pure; any thread.
#pragma once

#include <memory>

#include "baton/work_source.h"
#include "store/commands.h"

namespace baton::store {

Job show(const std::shared_ptr<const JobRecord>& record);
// A job that was just made from `spec`, before anyone could change it.
Job show(const MadeJob& made, const std::shared_ptr<const Submission>& spec);
Execution show(const JobId& job, const ExecutionRecord& execution);
// The record must be there.
Claimed show(const ClaimedJob& claimed);
WorkAnswer show(const CallAnswer& answer);

}  // namespace baton::store
