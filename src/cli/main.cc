// The program: reads the command line and runs one command.
#include <csignal>
#include <string>

#include "cli/bench.h"
#include "cli/commands.h"

namespace baton::cli {
namespace {

const char kServerExamples[] =
    "Examples:\n  baton serve                run a server\n"
    "  baton bench                how fast is it?\n"
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
    "  baton workers              who asks for which jobs, and holds how many\n"
    "  baton stats --json         counts, for a program\n";

void add_bench(Program& program) {
  const auto bench = add_command(program,
                                 {"bench", "Measure a server that has nothing else to do",
                                  "Examples:\n  baton bench --connections 64 --seconds 5"},
                                 run_bench);
  bench.option("--server", &BenchRequest::server, "URL of the server")
      ->envname("BATON_URL")
      ->capture_default_str();
  bench.option("--connections", &BenchRequest::connections, "That submit and work at once")
      ->capture_default_str();
  bench.option("--seconds", &BenchRequest::seconds, "For each figure")->capture_default_str();
  bench.option("--batch", &BenchRequest::batches, "Jobs a request; may be given several times")
      ->capture_default_str();
  bench.option("--idle", &BenchRequest::idle, "Workers that wait beside the measured ones")
      ->capture_default_str();
  bench.flag("--json", &BenchRequest::json, "As JSON");
}

int refuse_usage(const std::string& message) { return refuse(message + "\nSee 'baton --help'."); }

// Help and version are answers, everything else that stops the parser is a mistake of the caller.
int answer(const CLI::App& app, const CLI::ParseError& stop) {
  if (stop.get_exit_code() != 0) return refuse_usage(stop.what());
  const bool version = dynamic_cast<const CLI::CallForVersion*>(&stop) != nullptr;
  return print(version ? stop.what() + std::string("\n") : app.help());
}

int run(int argc, char** argv) {
  Program program{CLI::App("Baton, a durable job engine"), {}};
  CLI::App& app = program.app;
  app.name("baton");
  app.set_version_flag("--version", "baton " BATON_VERSION, "Print the version and exit");
  app.footer(std::string(kServerExamples) + kLocalExamples);
  for (const auto add : {add_serve, add_submit, add_job_commands, add_queue_commands, add_work,
                         add_workers, add_bench, add_profiles, add_directory_commands})
    add(program);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    return answer(app, stop);
  }
  // Not CLI11's own check, which would hide that a word is unknown.
  if (app.get_subcommands().empty()) return refuse_usage("a command is needed");
  return program.run();
}

}  // namespace
}  // namespace baton::cli

int main(int argc, char** argv) {
  // A reader that went away is reported by write() instead of ending the process in silence.
  std::signal(SIGPIPE, SIG_IGN);
  baton::cli::fill_closed_streams();
  return baton::cli::run(argc, argv);
}
