#include "cli/show.h"

#include "cli/job_text.h"
#include "client/answers.h"
#include "client/requests.h"

namespace baton::cli {

int run_show(const ShowRequest& request) {
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  const bool json = request.server.json;
  // Programs get one document: what they asked for by name, else the job.
  const bool job = !json || (!request.history && !request.executions);
  int outcome = kSuccess;
  if (job) {
    outcome =
        ask<Job>(*client, json, client::get_request(request.id), client::read_bare_job, job_sheet);
  }
  if (outcome == kSuccess && request.history) {
    outcome = ask<std::vector<HistoryEntry>>(
        *client, json, client::part_request(request.id, "history"), client::read_history,
        [&](const auto& history) { return (job ? "\n" : "") + history_table(history); });
  }
  if (outcome == kSuccess && request.executions) {
    outcome = ask<std::vector<Execution>>(
        *client, json, client::part_request(request.id, "executions"), client::read_executions,
        [&](const auto& executions) { return (job ? "\n" : "") + execution_table(executions); });
  }
  return outcome;
}

}  // namespace baton::cli
