// Commands of the store as a client would ask for them, and whether two of them are the same. So a
// request that was read can be written again, and read again. Pure; any thread.
#pragma once

#include "api/decode.h"
#include "baton/job.h"
#include "baton/queue.h"
#include "baton/work_source.h"
#include "lifecycle/submission.h"
#include "store/commands.h"

namespace baton::fuzz {

Submission as_client(const lifecycle::Submission& job);
Batch as_client(const store::SubmitBatch& batch);
WorkCall as_client(const store::WorkCall& call);
ClaimRequest as_client(const api::ClaimBody& claim);
CancelJob as_client(const api::CancelBody& cancel);
PatchJob as_client(const store::PatchJob& patch);
QueueUpdate as_client(const store::QueueUpdate& update);
GrantCredits as_client(const store::GrantCredits& grant);

// A client has its tags in order and no payload for an empty one.
bool same(lifecycle::Submission a, lifecycle::Submission b);
bool same(const std::vector<api::SubmissionPtr>& a, const std::vector<api::SubmissionPtr>& b);
bool same(const store::WorkCall& a, const store::WorkCall& b);
bool same(const api::ClaimBody& a, const api::ClaimBody& b);
bool same(const store::PatchJob& a, const store::PatchJob& b);
bool same(const store::QueueUpdate& a, const store::QueueUpdate& b);
bool same(const store::GrantCredits& a, const store::GrantCredits& b);

}  // namespace baton::fuzz
