// Commands of the store as a client would ask for them, and whether two of them are the same. So a
// request that was read can be written again, and read again. Pure; any thread.
#pragma once

#include "api/decode.h"
#include "baton/job.h"
#include "baton/queue.h"
#include "baton/work_source.h"
#include "baton/queue.h"
#include "store/commands.h"

namespace baton::fuzz {

Submission as_client(const Submission& job);
Batch as_client(const store::SubmitBatch& batch);
WorkCall as_client(const WorkCall& call);
ClaimRequest as_client(const api::ClaimBody& claim);
CancelJob as_client(const api::CancelBody& cancel);
PatchJob as_client(const PatchJob& patch);
QueueUpdate as_client(const QueueUpdate& update);
GrantCredits as_client(const GrantCredits& grant);

// A client has its tags in order and no payload for an empty one.
bool same(Submission a, Submission b);
bool same(const std::vector<api::SubmissionPtr>& a, const std::vector<api::SubmissionPtr>& b);
bool same(const WorkCall& a, const WorkCall& b);
bool same(const api::ClaimBody& a, const api::ClaimBody& b);
bool same(const PatchJob& a, const PatchJob& b);
bool same(const QueueUpdate& a, const QueueUpdate& b);
bool same(const GrantCredits& a, const GrantCredits& b);

}  // namespace baton::fuzz
