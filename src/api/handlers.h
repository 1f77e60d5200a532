// The handlers that the table of routes names, one for each call of the contract. Each reads its
// request, asks the store and answers when the store has; none waits. Internal to the folder.
#pragma once

#include "api/service.h"

namespace baton::api {

// jobs.cc, job_lists.cc
void create_job(const ApiCall& call);
void create_batch(const ApiCall& call);
void get_job(const ApiCall& call);
void list_jobs(const ApiCall& call);
void list_dead_letters(const ApiCall& call);
void get_history(const ApiCall& call);
void get_executions(const ApiCall& call);
void wait_for_job(const ApiCall& call);
void get_result(const ApiCall& call);
void explain_job(const ApiCall& call);
void patch_job(const ApiCall& call);
void submit_draft(const ApiCall& call);
void cancel_job(const ApiCall& call);
void reject_job(const ApiCall& call);
void retry_job(const ApiCall& call);
void delete_job(const ApiCall& call);
void change_many(const ApiCall& call);

// 204 when the store has deleted something.
store::Done<store::Deleted> answer_when_deleted(const ApiCall& call);

// work.cc
void claim(const ApiCall& call);
void start_execution(const ApiCall& call);
void heartbeat(const ApiCall& call);
void commit(const ApiCall& call);
void finish(const ApiCall& call);
void ack(const ApiCall& call);
void nack(const ApiCall& call);
void reject_execution(const ApiCall& call);
void confirm_cancelled(const ApiCall& call);
void release_execution(const ApiCall& call);
void spawn(const ApiCall& call);
void work_batch(const ApiCall& call);

// queues.cc
void list_queues(const ApiCall& call);
void get_queue(const ApiCall& call);
void put_queue(const ApiCall& call);
void delete_queue(const ApiCall& call);
void pause_queue(const ApiCall& call);
void resume_queue(const ApiCall& call);
void drain_queue(const ApiCall& call);
void list_workers(const ApiCall& call);
void get_stats(const ApiCall& call);

// accounts.cc
void get_account(const ApiCall& call);
void grant_credits(const ApiCall& call);
void list_entries(const ApiCall& call);

// system.cc
void get_profiles(const ApiCall& call);
void healthz(const ApiCall& call);
void readyz(const ApiCall& call);
void get_openapi(const ApiCall& call);
void status_page(const ApiCall& call);

// events.cc
void follow_events(const ApiCall& call);

}  // namespace baton::api
