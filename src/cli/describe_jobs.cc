// The commands on jobs, as the parser sees them.
#include <CLI/CLI.hpp>

#include "cli/change_job.h"
#include "cli/describe.h"
#include "cli/explain.h"
#include "cli/list.h"
#include "cli/show.h"
#include "cli/submit.h"
#include "cli/wait.h"

namespace baton::cli {
namespace {

// A command with its request, which lives as long as the parser.
template <class Request>
struct Described {
  CLI::App* command;
  std::shared_ptr<Request> request;
};

struct Words {
  const char* name;
  const char* what;
  const char* examples;
};

template <class Request>
Described<Request> add_command(CLI::App& app, Run& run, const Words& words,
                               int (*command)(const Request&)) {
  Described<Request> described{app.add_subcommand(words.name, words.what),
                               std::make_shared<Request>()};
  describe_server(*described.command, described.request->server);
  described.command->footer(words.examples);
  described.command->callback([&run, command, request = described.request] {
    run = [command, request] { return command(*request); };
  });
  return described;
}

void describe_submit(CLI::App& app, Run& run) {
  const auto [command, request] = add_command<SubmitRequest>(
      app, run,
      {"submit", "Make a job, or one for each line of a file",
       "Examples:\n"
       "  baton submit mail '{\"to\":\"me\"}' --queue letters --key letter-17\n"
       "  baton submit resize --payload-file photo.json --delay 5m --wait\n"
       "  baton submit --batch jobs.jsonl   each line {\"type\":…,\"payload\":…}"},
      run_submit);
  command->add_option("TYPE", request->type, "The type of the job");
  CLI::Option* payload =
      command->add_option("PAYLOAD,--payload", request->payload, "JSON; - reads standard input");
  command->add_option("--payload-file", request->payload_file, "A file with the payload")
      ->excludes(payload);
  command->add_option("--content-type", request->content_type, "Of a payload that is not JSON");
  command->add_option("--queue", request->queue, "The queue")->capture_default_str();
  command->add_option("--priority", request->priority, "critical, high, normal, low, bulk or 0-4");
  CLI::Option* delay = command->add_option("--delay", request->delay, "Like 90s, 5m or 1h30m");
  command->add_option("--run-at", request->run_at, "Like 2030-01-02T03:04:05Z")->excludes(delay);
  command->add_option("--key", request->key, "Idempotency key: the same key, the same job");
  command->add_option("--tag", request->tags, "KEY=VALUE; several")->allow_extra_args(false);
  command->add_option("--after", request->after, "Id of a job that must end first; several")
      ->allow_extra_args(false);
  command->add_option("--max-attempts", request->max_attempts, "The first one included");
  command->add_option("--account", request->account, "The account that pays");
  command->add_option("--correlation-id", request->correlation_id, "To find it again");
  command->add_flag("--draft", request->draft, "Make it, and do not run it yet");
  command->add_flag("--wait", request->wait, "Wait for its end; succeed if it does");
  command->add_option("--batch", request->batch, "A file with one submission a line, - for stdin");
}

void describe_show(CLI::App& app, Run& run) {
  const auto [command, request] =
      add_command<ShowRequest>(app, run,
                               {"show", "Show a job",
                                "Examples:\n"
                                "  baton show ID\n"
                                "  baton show ID --history --executions"},
                               run_show);
  command->add_option("ID", request->id, "The job")->required();
  command->add_flag("--history", request->history, "What happened to it");
  command->add_flag("--executions", request->executions, "Its attempts, and how they ended");
}

void describe_filter(CLI::App& command, ListRequest& request) {
  command.add_option("--queue", request.queue, "Only of this queue");
  command.add_option("--type", request.type, "Only of this type");
  command.add_option("--tag", request.tag, "Only with this tag: KEY=VALUE");
  command.add_option("--correlation-id", request.correlation_id, "Only with this correlation id");
  command.add_option("--account", request.account, "Only of this account");
  command.add_option("--created-after", request.created_after, "Like 2030-01-02T03:04:05Z");
  command.add_option("--created-before", request.created_before, "Like 2030-01-02T03:04:05Z");
  command.add_option("--limit", request.limit, "How many, 1 to 1000")->capture_default_str();
  CLI::Option* cursor = command.add_option("--cursor", request.cursor, "The page after this one");
  command.add_flag("--all", request.all, "All pages")->excludes(cursor);
}

void describe_lists(CLI::App& app, Run& run) {
  const auto list = add_command<ListRequest>(app, run,
                                             {"list", "List jobs, newest first",
                                              "Examples:\n"
                                              "  baton list --queue letters --state FAILED\n"
                                              "  baton list --tag customer=17 --limit 1000 --json"},
                                             run_list);
  list.command->add_option("--state", list.request->state, "Only in this state, as shown");
  list.command->add_option("--canonical-state", list.request->canonical_state,
                           "Only in this canonical state");
  describe_filter(*list.command, *list.request);
  const auto dead =
      add_command<ListRequest>(app, run,
                               {"dead", "List the jobs that no attempt could finish",
                                "Examples:\n"
                                "  baton dead --queue letters\n"
                                "  baton retry ID    makes a new job from one of them"},
                               run_dead);
  describe_filter(*dead.command, *dead.request);
}

void describe_wait(CLI::App& app, Run& run) {
  const auto [command, request] =
      add_command<WaitRequest>(app, run,
                               {"wait", "Wait for the end of a job; succeed if it was completed",
                                "Examples:\n"
                                "  baton wait ID --timeout 10m && echo done"},
                               run_wait);
  command->add_option("ID", request->id, "The job")->required();
  command->add_option("--timeout", request->timeout, "Like 90s or 5m; else as long as it takes");
}

void describe_changes(CLI::App& app, Run& run) {
  const auto cancel =
      add_command<ChangeRequest>(app, run,
                                 {"cancel", "Cancel jobs; a running one is asked to stop",
                                  "Examples:\n"
                                  "  baton cancel ID --reason 'sent by mistake'\n"
                                  "  baton cancel ID --force    without waiting for its worker"},
                                 run_cancel);
  cancel.command->add_option("ID", cancel.request->ids, "The jobs")->required();
  cancel.command->add_flag("--force", cancel.request->force, "Do not wait for the worker");
  cancel.command->add_option("--reason", cancel.request->reason, "For the record");
  const auto retry =
      add_command<ChangeRequest>(app, run,
                                 {"retry", "Make new jobs from jobs that ended badly",
                                  "Examples:\n"
                                  "  baton retry ID"},
                                 run_retry);
  retry.command->add_option("ID", retry.request->ids, "The jobs")->required();
}

void describe_explain(CLI::App& app, Run& run) {
  const auto [command, request] =
      add_command<ExplainRequest>(app, run,
                                  {"explain", "Say why a job is in its state and what it waits for",
                                   "Examples:\n"
                                   "  baton explain ID"},
                                  run_explain);
  command->add_option("ID", request->id, "The job")->required();
}

}  // namespace

void describe_job_commands(CLI::App& app, Run& run) {
  describe_submit(app, run);
  describe_show(app, run);
  describe_lists(app, run);
  describe_wait(app, run);
  describe_changes(app, run);
  describe_explain(app, run);
}

}  // namespace baton::cli
