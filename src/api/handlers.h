// The handlers that the table of routes names, one for each call of the contract. Each reads its
// request, asks the store and answers when the store has; none waits. Internal to the folder.
#pragma once

#include "api/service.h"

namespace baton::api {

// jobs.cc, job_lists.cc
void create_job(const Call& call);
void create_batch(const Call& call);
void get_job(const Call& call);
void list_jobs(const Call& call);
void list_dead_letters(const Call& call);
void get_history(const Call& call);
void get_executions(const Call& call);
void wait_for_job(const Call& call);
void get_result(const Call& call);
void explain_job(const Call& call);
void patch_job(const Call& call);
void submit_draft(const Call& call);
void cancel_job(const Call& call);
void reject_job(const Call& call);
void retry_job(const Call& call);
void delete_job(const Call& call);
void change_many(const Call& call);

// work.cc
void claim(const Call& call);
void start_execution(const Call& call);
void heartbeat(const Call& call);
void commit(const Call& call);
void finish(const Call& call);
void ack(const Call& call);
void nack(const Call& call);
void reject_execution(const Call& call);
void confirm_cancelled(const Call& call);
void spawn(const Call& call);
void work_batch(const Call& call);

// queues.cc
void list_queues(const Call& call);
void get_queue(const Call& call);
void put_queue(const Call& call);
void pause_queue(const Call& call);
void resume_queue(const Call& call);
void drain_queue(const Call& call);
void get_stats(const Call& call);

// accounts.cc
void get_account(const Call& call);
void grant_credits(const Call& call);
void list_entries(const Call& call);

// system.cc
void get_profiles(const Call& call);
void healthz(const Call& call);
void readyz(const Call& call);
void get_openapi(const Call& call);
void status_page(const Call& call);

// events.cc
void follow_events(const Call& call);

}  // namespace baton::api
