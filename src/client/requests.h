// The calls of the API as requests, one function for each: the path, the body, and whether the call
// may be repeated when it is unknown if the first one was made. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baton/client.h"

namespace baton::client {

// The text as a part of a path or a query.
std::string percent_encoded(std::string_view text);

RawRequest submit_request(const Submission& job);
RawRequest batch_request(const Batch& batch);
// A batch of submissions that are JSON already.
RawRequest batch_request(const std::vector<std::string>& submissions, bool atomic);

RawRequest get_request(const std::string& id);
// `part` is what stands behind the id: "history", "executions", "explain".
RawRequest part_request(const std::string& id, std::string_view part);
RawRequest wait_request(const std::string& id, Duration timeout);
RawRequest list_request(const JobFilter& filter);
RawRequest dead_letters_request(const JobFilter& filter);
RawRequest stats_request(const std::string& cursor);
RawRequest workers_request(const std::string& cursor);

// The id may be one that a person typed.
RawRequest cancel_request(const std::string& id, const CancelJob& command);
RawRequest reject_request(const RejectJob& command);
RawRequest submit_draft_request(const std::string& id);
RawRequest patch_request(const PatchJob& command);
RawRequest redrive_request(const std::string& id, const RedriveJob& command);
RawRequest remove_request(const std::string& id);

RawRequest queues_request(const std::string& cursor);
RawRequest queue_request(const std::string& name);
RawRequest set_queue_request(const QueueUpdate& update);
RawRequest remove_queue_request(const std::string& name);
// `verb` is pause, resume or drain.
RawRequest switch_queue_request(const std::string& name, std::string_view verb);

RawRequest grant_request(const GrantCredits& command);
RawRequest account_request(const std::string& id);
RawRequest entries_request(const std::string& id, const std::string& cursor);

RawRequest claim_request(const ClaimRequest& claim);
// One element of "ops". Texts for people that are not UTF-8 are mended, because one bad byte would
// make the server refuse all calls that go with this one. invalid_job: something that cannot be
// mended is not UTF-8.
Result<std::string> op_of(const WorkCall& call);
// `ops` are JSON already.
RawRequest exchange_request(const std::vector<std::string>& ops,
                            const std::optional<ClaimRequest>& claim);

}  // namespace baton::client
