// The commands of the Machine, one function each: look the job up, ask lifecycle::decide, apply.
// Internal to the folder.
#pragma once

#include "store/local/machine/core.h"

namespace baton::store::local {

Answer handle(Core& core, const SubmitBatch& command);
Answer handle(Core& core, const ClaimRequest& command);
Answer handle(Core& core, const WorkCall& command);
Answer handle(Core& core, const CancelJob& command);
Answer handle(Core& core, const RejectJob& command);
Answer handle(Core& core, const SubmitDraft& command);
Answer handle(Core& core, const PatchJob& command);
Answer handle(Core& core, const RedriveJob& command);
Answer handle(Core& core, const DeleteJob& command);
Answer handle(Core& core, const QueueUpdate& command);
Answer handle(Core& core, const RemoveQueue& command);
Answer handle(Core& core, const GrantCredits& command);
Answer handle(Core& core, const RunTimers& command);
Answer handle(Core& core, const Prune& command);
Answer handle(Core& core, const ExplainJob& command);
Answer handle(Core& core, const GetQueue& command);
Answer handle(Core& core, const GetAccount& command);
Answer handle(Core& core, const GetStats& page);
Answer handle(Core& core, const GiveBackUnread& command);

Error no_such_job();
Error dependency_gone(const JobId& id);  // a redrive needs it
Error draining();

// When the call arrived, if it is applied now.
Time arrival_of(const WorkCall& call, Time now);

}  // namespace baton::store::local
