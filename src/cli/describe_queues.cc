// The commands on queues and the worker, as the parser sees them.
#include <CLI/CLI.hpp>

#include "cli/describe.h"
#include "cli/queues.h"
#include "cli/work.h"

namespace baton::cli {
namespace {

void describe_queues(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("queues", "Show queues, or one and its settings");
  const auto request = std::make_shared<QueuesRequest>();
  describe_server(*command, request->server);
  command->add_option("NAME", request->name, "The queue; else all");
  command->add_option("--set", request->set, "Settings to change, as JSON");
  command->footer(
      "Examples:\n"
      "  baton queues\n"
      "  baton queues letters --set '{\"max_running\":5}'");
  command->callback([&run, request] { run = [request] { return run_queues(*request); }; });
}

void describe_switch(CLI::App& app, Run& run, const char* name, const char* what,
                     int (*switch_queue)(const SwitchRequest&)) {
  CLI::App* command = app.add_subcommand(name, what);
  const auto request = std::make_shared<SwitchRequest>();
  describe_server(*command, request->server);
  command->add_option("QUEUE", request->names, "The queues")->required();
  command->footer("Examples:\n  baton " + std::string(name) + " letters");
  command->callback(
      [&run, request, switch_queue] { run = [=] { return switch_queue(*request); }; });
}

void describe_stats(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("stats", "Count the jobs by queue and state");
  const auto server = std::make_shared<ServerRequest>();
  describe_server(*command, *server);
  command->footer("Examples:\n  baton stats");
  command->callback([&run, server] { run = [server] { return run_stats(*server); }; });
}

void describe_work(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("work", "Run a command of the shell for every job");
  const auto request = std::make_shared<WorkRequest>();
  describe_server(*command, request->server);
  command->add_option("--queue", request->queues, "The queue; several, the first one first")
      ->allow_extra_args(false)
      ->required();
  command->add_option("--exec", request->command, "The command, for /bin/sh -c")->required();
  command->add_option("--type", request->types, "Only jobs of this type; several")
      ->allow_extra_args(false);
  command->add_option("--concurrency", request->concurrency, "Jobs at once, 1 to 1000")
      ->capture_default_str();
  command->add_option("--name", request->name, "How the server calls this worker");
  command->add_option("--grace", request->grace, "From SIGTERM to SIGKILL, 10s if not given");
  command->footer(
      "The payload is on standard input; BATON_JOB_ID, BATON_TYPE, BATON_ATTEMPT, "
      "BATON_CHECKPOINT\n"
      "and more are in the environment. What the command prints is the result. It says how it "
      "went\n"
      "by its exit code: 0 done, 75 try again, 64 and 65 never try again, 77 rejected, others try\n"
      "again; the last line on standard error is the message.\n"
      "Examples:\n"
      "  baton work --queue letters --exec './send-letter' --concurrency 4\n"
      "  baton work --queue default --type resize --exec 'jq .size'");
  command->callback([&run, request] { run = [request] { return run_work(*request); }; });
}

}  // namespace

const char kServerExamples[] =
    "  baton submit mail '{\"to\":\"me\"}' --queue letters\n"
    "  baton work --queue letters --exec ./send-letter\n"
    "  baton show ID              a job; also: wait, cancel, retry, explain\n"
    "  baton wait ID --timeout 10m\n"
    "  baton cancel ID --reason 'sent by mistake'\n"
    "  baton explain ID           why does it not run?\n"
    "  baton list --state FAILED  jobs, newest first\n"
    "  baton dead                 jobs that no attempt could finish\n"
    "  baton retry ID             once more, as a new job\n"
    "  baton queues               queues and their counts\n"
    "  baton pause letters        nothing is claimed until: baton resume letters\n"
    "  baton resume letters\n"
    "  baton drain letters        nothing is taken in any more\n"
    "  baton stats --json         counts, for a program\n";

void describe_server(CLI::App& command, ServerRequest& server) {
  command.add_option("--server", server.url,
                     "URL of the server, else BATON_URL, else http://127.0.0.1:2286");
  command.add_flag("--json", server.json, "The server's answer, for programs");
}

void describe_queue_commands(CLI::App& app, Run& run) {
  describe_queues(app, run);
  describe_switch(app, run, "pause", "Let nothing be claimed from queues", run_pause);
  describe_switch(app, run, "resume", "Open queues again", run_resume);
  describe_switch(app, run, "drain", "Take nothing in, and finish what is there", run_drain);
  describe_stats(app, run);
  describe_work(app, run);
}

}  // namespace baton::cli
