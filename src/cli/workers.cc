// `baton workers`: who has asked for work lately, and how much of it each holds.
#include "cli/commands.h"
#include "cli/joined_pages.h"
#include "cli/terminal.h"
#include "cli/times.h"
#include "client/answers.h"
#include "client/requests.h"

namespace baton::cli {
namespace {

constexpr std::size_t kWidest = 40;

struct WorkersRequest {
  ServerRequest server;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return printable(text, kWidest);
}

std::string worker_table(const std::vector<SeenWorker>& workers) {
  if (workers.empty()) return "no worker was seen in the last 10 minutes\n";
  TextTable table({"WORKER", "QUEUES", "TYPES", "RUNNING", "LAST SEEN"});
  for (const SeenWorker& worker : workers) {
    table.add({{printable(worker.name, kWidest)},
               {worker.queues.empty() ? "not yet known" : joined(worker.queues)},
               {worker.types.empty() ? "all" : joined(worker.types)},
               number_cell(worker.execution_count),
               {age(worker.last_seen) + " ago"}});
  }
  return table.text();
}

int run_workers(const WorkersRequest& request) {
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  if (request.server.json) {
    return print_joined(*client, "workers", client::workers_request, client::read_worker_page);
  }
  const Result<std::vector<SeenWorker>> workers = client->workers().get();
  return workers ? print(worker_table(*workers)) : fail(workers.error());
}

}  // namespace

void add_workers(Program& program) {
  add_server_command(program,
                     {"workers", "Show the workers that were seen in the last 10 minutes",
                      "Examples:\n  baton workers"},
                     run_workers);
}

}  // namespace baton::cli
