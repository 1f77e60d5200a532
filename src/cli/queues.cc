#include "cli/queues.h"

#include "cli/queue_text.h"
#include "client/answers.h"
#include "client/requests.h"
#include "json/flaw.h"

namespace baton::cli {
namespace {

using QueuePage = client::Page<Queue>;

std::string page_table(const QueuePage& page) { return queue_table(page.list); }

std::string stats_text(const Stats& stats) {
  return queue_table(stats.queues, true) + "\n" + std::to_string(stats.live_jobs) +
         " jobs have not ended\n";
}

int run_switch(const SwitchRequest& request, std::string_view verb) {
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  int outcome = kSuccess;
  std::vector<Queue> switched;
  for (const std::string& name : request.names) {
    const auto keep = [&](const Queue& queue) {
      switched.push_back(queue);
      return std::string();
    };
    const int one =
        ask<Queue>(*client, request.server.json, client::switch_queue_request(name, verb),
                   client::read_queue_answer, keep);
    if (one != kSuccess) outcome = one;
  }
  if (switched.empty()) return outcome;
  const int printed = print(queue_table(switched));
  return outcome == kSuccess ? printed : outcome;
}

}  // namespace

int run_queues(const QueuesRequest& request) {
  const bool json = request.server.json;
  if (request.set) {
    if (const auto flaw = json::find_flaw(*request.set)) {
      complain("--set is not JSON: " + std::string(flaw->what) + " at byte " +
               std::to_string(flaw->at));
      return kWrongUsage;
    }
    if (request.name.empty()) {
      complain("--set needs the name of a queue");
      return kWrongUsage;
    }
  }
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  if (request.name.empty()) {
    return ask<QueuePage>(*client, json, client::queues_request({}), client::read_queue_page,
                          page_table);
  }
  RawRequest asked = client::queue_request(request.name);
  if (request.set) {
    asked.method = "PUT";
    asked.body = *request.set;
  }
  return ask<Queue>(*client, json, asked, client::read_queue_answer, queue_sheet);
}

int run_pause(const SwitchRequest& request) { return run_switch(request, "pause"); }
int run_resume(const SwitchRequest& request) { return run_switch(request, "resume"); }
int run_drain(const SwitchRequest& request) { return run_switch(request, "drain"); }

int run_stats(const ServerRequest& server) {
  const auto client = open_client(server);
  if (!client) return kWrongUsage;
  return ask<Stats>(*client, server.json, client::stats_request(), client::read_stats, stats_text);
}

}  // namespace baton::cli
