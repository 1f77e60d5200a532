// `baton queues`, with `pause`, `resume` and `drain`, and `baton stats`: queues, their settings and
// how many jobs are where.
#include <cstdio>
#include <utility>

#include "cli/commands.h"
#include "cli/joined_pages.h"
#include "cli/terminal.h"
#include "cli/times.h"
#include "client/answers.h"
#include "client/requests.h"
#include "json/flaw.h"

namespace baton::cli {
namespace {

struct QueuesRequest {
  ServerRequest server;
  std::string name;                // empty: all
  std::optional<std::string> set;  // settings to change, as JSON
  bool remove = false;
};

struct SwitchRequest {
  ServerRequest server;
  std::vector<std::string> names;
  const char* verb = nullptr;  // pause, resume or drain
};

struct StatsRequest {
  ServerRequest server;
};

// ---- Queues as people read them -----------------------------------------------------------------

Cell status_of(const Queue& queue) {
  if (queue.settings.draining) return {"draining", Tone::kBusy};
  if (queue.settings.paused) return {"paused", Tone::kBad};
  return {"open"};
}

// The states that have something to say; what is ready and what runs is always asked for.
std::vector<JobState> columns_of(const Queue& sums) {
  std::vector<JobState> columns;
  for (std::size_t i = 1; i < sums.counts.size(); ++i) {
    const auto state = static_cast<JobState>(i);
    const bool always = state == JobState::kScheduled || state == JobState::kRunning;
    if (always || sums.counts[i] != 0) columns.push_back(state);
  }
  return columns;
}

Queue sums_of(const std::vector<Queue>& queues) {
  Queue all;
  all.counts.assign(kNames<JobState>.size(), 0);
  for (const Queue& queue : queues) {
    for (std::size_t i = 0; i < all.counts.size() && i < queue.counts.size(); ++i)
      all.counts[i] += queue.counts[i];
  }
  return all;
}

// With a row of sums when `with_sums` says so.
std::string queue_table(const std::vector<Queue>& queues, bool with_sums = false) {
  if (queues.empty()) return "no queues\n";
  const Queue sums = sums_of(queues);
  const std::vector<JobState> columns = columns_of(sums);
  std::vector<std::string> heads = {"QUEUE", "PROFILE", "STATUS"};
  for (const JobState state : columns)
    heads.emplace_back(name(state));
  TextTable table(std::move(heads));
  const auto add = [&](std::vector<Cell> row, const Queue& queue) {
    for (const JobState state : columns) {
      Cell cell = number_cell(queue.count(state));
      if (cell.text != "0") cell.tone = tone_of(state);
      row.push_back(std::move(cell));
    }
    table.add(std::move(row));
  };
  for (const Queue& queue : queues)
    add({{printable(queue.name, 40)}, {queue.settings.profile}, status_of(queue)}, queue);
  if (with_sums && queues.size() > 1) add({{"all"}, {""}, {""}}, sums);
  return table.text();
}

std::string rate_text(const std::optional<RateLimit>& rate) {
  if (!rate) return {};
  char text[64];
  std::snprintf(text, sizeof text, "%g a second, bursts of %d", rate->per_second, rate->burst);
  return text;
}

std::string number_text(const auto& number) { return number ? std::to_string(*number) : ""; }

std::string optional_text(const std::optional<Duration>& duration) {
  return duration ? duration_text(*duration) : "";
}

std::string queue_sheet(const Queue& queue) {
  TextTable sheet;
  const Cell status = status_of(queue);
  sheet.add("queue", printable(queue.name));
  sheet.add("profile", queue.settings.profile);
  sheet.add("status", status.text, status.tone);
  for (std::size_t i = 1; i < queue.counts.size(); ++i) {
    const auto state = static_cast<JobState>(i);
    if (queue.counts[i] == 0) continue;
    sheet.add(name(state), std::to_string(queue.counts[i]), tone_of(state));
  }
  sheet.add("max pending", number_text(queue.settings.max_pending));
  sheet.add("max running", number_text(queue.settings.max_running));
  sheet.add("rate", rate_text(queue.settings.rate));
  sheet.add("max attempts", number_text(queue.settings.retry.max_attempts));
  sheet.add("backoff",
            queue.settings.retry.strategy ? std::string(name(*queue.settings.retry.strategy)) : "");
  sheet.add("first backoff", optional_text(queue.settings.retry.initial));
  sheet.add("longest backoff", optional_text(queue.settings.retry.max));
  sheet.add("execution timeout", optional_text(queue.settings.timeouts.execution));
  sheet.add("lease", optional_text(queue.settings.timeouts.lease));
  sheet.add("lifetime", optional_text(queue.settings.timeouts.lifetime));
  sheet.add("keeps completed", duration_text(queue.settings.keep_completed));
  sheet.add("keeps failed", duration_text(queue.settings.keep_failed));
  sheet.add("keys last", duration_text(queue.settings.idempotency_window));
  return sheet.text();
}

// ---- The commands -------------------------------------------------------------------------------

int run_queues(const QueuesRequest& request) {
  const bool json = request.server.json;
  if (request.set) {
    if (const auto flaw = json::find_flaw(*request.set)) {
      return refuse("--set is not JSON: " + std::string(flaw->what) + " at byte " +
                    std::to_string(flaw->at));
    }
    if (request.name.empty()) return refuse("--set needs the name of a queue");
  }
  if (request.remove && request.name.empty()) return refuse("--delete needs the name of a queue");
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  if (request.remove) {
    const Result<Ok> removed = client->remove_queue(request.name).get();
    return removed ? kSuccess : fail(removed.error());
  }
  if (request.name.empty()) {
    if (json)
      return print_joined(*client, "queues", client::queues_request, client::read_queue_page);
    const Result<std::vector<Queue>> queues = client->queues().get();
    return queues ? print(queue_table(*queues)) : fail(queues.error());
  }
  RawRequest asked = client::queue_request(request.name);
  if (request.set) {
    asked.method = "PUT";
    asked.body = *request.set;
  }
  return ask(*client, json, asked, client::read_queue_answer, queue_sheet);
}

// Fails when it failed for one of the queues.
int run_switch(const SwitchRequest& request) {
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
        ask(*client, request.server.json, client::switch_queue_request(name, request.verb),
            client::read_queue_answer, keep);
    if (one != kSuccess) outcome = one;
  }
  if (switched.empty()) return outcome;
  const int printed = print(queue_table(switched));
  return outcome == kSuccess ? printed : outcome;
}

int run_stats(const StatsRequest& request) {
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  if (request.server.json)
    return print_joined(*client, "queues", client::stats_request, client::read_queue_page);
  const Result<Stats> stats = client->stats().get();
  if (!stats) return fail(stats.error());
  return print(queue_table(stats->queues, true) + "\n" + std::to_string(stats->live_jobs) +
               " jobs have not ended\n");
}

void add_switch(Program& program, const char* verb, const char* what) {
  const auto command = add_server_command(
      program, {verb, what, "Examples:\n  baton " + std::string(verb) + " letters"}, run_switch);
  command.option("QUEUE", &SwitchRequest::names, "The queues")->required();
  command.request->verb = verb;
}

}  // namespace

void add_queue_commands(Program& program) {
  const auto queues = add_server_command(program,
                                         {"queues", "Show queues, or one and its settings",
                                          "Examples:\n"
                                          "  baton queues\n"
                                          "  baton queues letters --set '{\"max_running\":5}'\n"
                                          "  baton queues letters --delete"},
                                         run_queues);
  queues.option("NAME", &QueuesRequest::name, "The queue; else all");
  CLI::Option* set = queues.option("--set", &QueuesRequest::set, "Settings to change, as JSON");
  queues.flag("--delete", &QueuesRequest::remove, "Delete the queue, which must hold no jobs")
      ->excludes(set);
  add_switch(program, "pause", "Let nothing be claimed from queues");
  add_switch(program, "resume", "Open queues again");
  add_switch(program, "drain", "Take nothing in, and finish what is there");
  add_server_command(program,
                     {"stats", "Count the jobs by queue and state", "Examples:\n  baton stats"},
                     run_stats);
}

}  // namespace baton::cli
