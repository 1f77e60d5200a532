// One function for each verb: what the model expects of the answer, and what the verb does to the
// model. All of them throw Mismatch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/model/mismatch.h"
#include "sim/model/scene.h"

namespace baton::sim {

using store::local::Answer;

// Which refusals the rules allow. Empty: the command must succeed.
using Refusals = std::vector<Code>;

// Whether the command had to be refused; then the answer is checked to be one of these refusals.
// Otherwise the answer is checked to be none.
bool refused(const Refusals& allowed, const Error* error, const std::string& what);

// The error in an answer, or nullptr.
const Error* error_of(const Answer& answer);

// The answer that the command must have when it is no error.
template <class T>
const T& answer_as(const Answer& answer, const std::string& what) {
  const T* value = std::get_if<T>(&answer);
  if (value == nullptr) mismatch(what + " has an answer of the wrong kind");
  return *value;
}

// Compares what the machine says of a job with the model.
void compare_facts(const ModelJob& job, const lifecycle::JobFacts& facts, const std::string& where);
// The same for the whole row of a job.
void compare_record(const ModelJob& job, const store::JobRecord& record);

void check_submit(Scene& scene, const store::SubmitBatch& batch, const Answer& answer);
void check_claim(Scene& scene, const ClaimRequest& request, const Answer& answer);
void check_work(Scene& scene, const WorkCall& call, const Answer& answer);
void check_unread(Scene& scene, const store::local::GiveBackUnread& command, const Answer& answer);
void check_cancel(Scene& scene, const CancelJob& command, const Answer& answer);
void check_reject(Scene& scene, const RejectJob& command, const Answer& answer);
void check_draft(Scene& scene, const store::SubmitDraft& command, const Answer& answer);
void check_patch(Scene& scene, const PatchJob& command, const Answer& answer);
void check_redrive(Scene& scene, const RedriveJob& command, const Answer& answer);
void check_delete(Scene& scene, const store::DeleteJob& command, const Answer& answer);
void check_queue(Scene& scene, const QueueUpdate& update, const Answer& answer);
void check_removed_queue(Scene& scene, const std::string& name, const Answer& answer);
void check_queue_view(Scene& scene, const std::string& name, const Answer& answer);
void check_grant(Scene& scene, const GrantCredits& command, const Answer& answer);
void check_account(Scene& scene, const std::string& id, const Answer& answer);
void check_prune(Scene& scene, const store::Prune& command, const Answer& answer);
void check_explain(Scene& scene, const JobId& id, const Answer& answer);
void check_stats(Scene& scene, const Answer& answer);
void check_timers(Scene& scene, const Answer& answer);
// When the machine says that something falls due next, against when it does.
void check_next_due(const Scene& scene, Time said);

// ---- Making jobs, for submissions, copies and children -----------------------------------------

struct MakeRequest {
  Spec spec;
  std::vector<ModelGroup> groups;
  Priority priority = Priority::kNormal;
  bool with_key = true;
  bool may_be_draft = true;
  JobId parent;
  JobId redriven_from;
};

// The job that answers for the submission's key, or nullptr.
const ModelJob* duplicate_of(const Scene& scene, const Submission& spec);

// The job that holds the submission's unique key, or nullptr.
const ModelJob* unique_holder(const Scene& scene, const Submission& spec);

// Whether the job still answers for a key.
bool holds_key(const Scene& scene, const ModelJob& job);

// Every refusal that limits, credits and the queue allow, once the submission itself is right. What
// a job that is replaced has is free.
Refusals limits_against(const Scene& scene, const Submission& spec,
                        const ModelJob* replaced = nullptr);

// Dependents take the highest priority among themselves and their dependencies.
Priority priority_of(const State& state, const Submission& spec,
                     const std::vector<ModelGroup>& groups);

// Makes the job and checks its first steps. `id` must be new.
ModelJob& make_job(Scene& scene, const MakeRequest& request, const JobId& id);

// What is due for the jobs that hold the keys of these applies, before any of them is judged. Not
// for the parent of children: its call is judged by its arrival.
void bring_up_to_date(Scene& scene, const std::vector<Spec>& specs, const JobId& parent = {});

// What would be refused of a batch, by index. Changes nothing.
std::map<std::size_t, Refusals> try_batch(const Scene& scene, const store::SubmitBatch& batch,
                                          const JobId& parent = {});

// Makes the children of a commit; gives their ids. Duplicates are nobody's children.
std::vector<JobId> make_children(Scene& scene, const std::vector<Spec>& specs, const JobId& parent);

// The queue, made when it is not there.
ModelQueue& queue_for(Scene& scene, const std::string& name);

// The settings that a queue has, or would have.
QueueSettings settings_of(const Scene& scene, const std::string& name);

}  // namespace baton::sim
