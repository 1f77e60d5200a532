// The handlers that the table of routes names, one for each call of the contract. Each reads its
// request, asks the store and answers when the store has; none waits. Internal to the folder.
#pragma once

#include "api/service.h"

namespace baton::api {

// jobs.cc, job_lists.cc
void create_job(Call call);
void create_batch(Call call);
void get_job(Call call);
void list_jobs(Call call);
void list_dead_letters(Call call);
void get_history(Call call);
void get_executions(Call call);
void wait_for_job(Call call);
void get_result(Call call);
void explain_job(Call call);
void patch_job(Call call);
void submit_draft(Call call);
void cancel_job(Call call);
void reject_job(Call call);
void retry_job(Call call);
void delete_job(Call call);
void change_many(Call call);

// work.cc
void claim(Call call);
void start_execution(Call call);
void heartbeat(Call call);
void commit(Call call);
void finish(Call call);
void ack(Call call);
void nack(Call call);
void reject_execution(Call call);
void confirm_cancelled(Call call);
void spawn(Call call);
void work_batch(Call call);

// queues.cc
void list_queues(Call call);
void get_queue(Call call);
void put_queue(Call call);
void pause_queue(Call call);
void resume_queue(Call call);
void drain_queue(Call call);
void get_stats(Call call);

// accounts.cc
void get_account(Call call);
void grant_credits(Call call);
void list_entries(Call call);

// system.cc
void get_profiles(Call call);
void healthz(Call call);
void readyz(Call call);
void get_openapi(Call call);
void status_page(Call call);

// events.cc
void follow_events(Call call);

}  // namespace baton::api
