#include "cli/queues.h"

#include <iterator>
#include <utility>

#include "base/json_writer.h"
#include "cli/queue_text.h"
#include "client/answers.h"
#include "client/requests.h"
#include "json/flaw.h"

namespace baton::cli {
namespace {

// The queues of an answer and its other members, as they came.
struct RawPage {
  std::vector<std::string> queues;
  std::vector<std::pair<std::string, std::string>> others;
};

Result<RawPage> read_raw_page(const std::string& text) {
  RawPage page;
  json::Reader reader(text);
  reader.members([&](std::string_view name) {
    if (name == "queues") {
      reader.elements([&] { page.queues.push_back(reader.raw()); });
    } else if (name != "next_cursor") {
      page.others.emplace_back(name, reader.raw());
    }
  });
  return wire::finish_answer(reader, std::move(page));
}

// All pages as one document; what is counted over all queues is that of the last page.
int print_joined(Client& client, RawRequest (*page_request)(const std::string&)) {
  RawPage all;
  std::string cursor;
  do {
    const Result<RawAnswer> answer = client.raw(page_request(cursor));
    if (!answer) return fail(answer.error());
    Result<RawPage> page = read_raw_page(answer->body);
    if (!page) return fail(page.error());
    const auto next = client::read_queue_page(answer->body);
    if (!next) return fail(next.error());
    std::move(page->queues.begin(), page->queues.end(), std::back_inserter(all.queues));
    all.others = std::move(page->others);
    cursor = next->next_cursor;
  } while (!cursor.empty());
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.key("queues");
  json.begin_array();
  for (const std::string& queue : all.queues)
    json.raw(queue);
  json.end_array();
  for (const auto& [name, value] : all.others) {
    json.key(name);
    json.raw(value);
  }
  json.key("next_cursor");
  json.null();
  json.end_object();
  return print(text + "\n");
}

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
    if (json) return print_joined(*client, client::queues_request);
    const Result<std::vector<Queue>> queues = client->queues();
    return queues ? print(queue_table(*queues)) : fail(queues.error());
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
  if (server.json) return print_joined(*client, client::stats_request);
  const Result<Stats> stats = client->stats();
  return stats ? print(stats_text(*stats)) : fail(stats.error());
}

}  // namespace baton::cli
