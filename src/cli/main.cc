// The program: reads the command line and runs one command. The commands that talk to a server are
// described in describe_jobs.cc and describe_queues.cc.
#include <CLI/CLI.hpp>
#include <csignal>
#include <string>

#include "cli/bench.h"
#include "cli/config_file.h"
#include "cli/describe.h"
#include "cli/directory.h"
#include "cli/output.h"
#include "cli/profiles.h"
#include "cli/serve.h"

namespace {

using baton::cli::ProfilesForm;

// Of the commands that need no server.
const char kLocalExamples[] =
    "  baton profiles             the tables of the job model, to read\n"
    "  baton profiles --json      the same for a program\n"
    "  baton profiles --mermaid   state diagrams, as a Markdown page\n"
    "  baton doctor               is the data in ./baton-data in order?\n"
    "  baton backup copies/mon    copy ./baton-data, also while it is in use\n"
    "  baton restore copies/mon --store file:./new-data";

// What the command line asks for.
struct Request {
  bool json = false;
  bool mermaid = false;
  baton::cli::DirectoryRequest directory;
  baton::cli::ServeRequest serve;
  baton::cli::BenchRequest bench;
  std::string config;  // the file with the options of serve
  baton::cli::Run run;

  ProfilesForm form() const {
    if (json) return ProfilesForm::kJson;
    return mermaid ? ProfilesForm::kMermaid : ProfilesForm::kText;
  }
};

void describe_profiles(CLI::App& app, Request& request) {
  CLI::App* profiles = app.add_subcommand("profiles", "Print the five profiles and their tables");
  CLI::Option* json = profiles->add_flag("--json", request.json, "As JSON");
  profiles->add_flag("--mermaid", request.mermaid, "As state diagrams in Markdown")->excludes(json);
  profiles->footer("Examples:\n" + std::string(kLocalExamples));
  profiles->callback([&request] {
    request.run = [&request] { return baton::cli::run_profiles(request.form()); };
  });
}

void describe_serve(CLI::App& app, Request& request) {
  baton::cli::ServeRequest& serve = request.serve;
  CLI::App* command = app.add_subcommand("serve", "Run a server");
  command->add_option("--listen", serve.listen, "HOST:PORT; port 0 picks a free one")
      ->capture_default_str();
  command->add_option("--store", serve.store, "The store: file:DIR or memory:")
      ->capture_default_str();
  command->add_option("--threads", serve.threads, "Threads that serve connections")
      ->capture_default_str();
  command->add_option("--tls-cert", serve.certificate, "Certificate file, for TLS");
  command->add_option("--tls-key", serve.key, "Key file, for TLS");
  command->add_option("--allow-host", serve.allowed_hosts,
                      "A name by which the server may be called, and whose pages may call it");
  command->add_flag("--accept-clock", serve.accept_clock,
                    "Open the store though the clock is more than 30 days after its last change");
  command->add_option("--config", request.config,
                      "File with 'option = value' lines; the command line goes before it");
  command->footer(
      "Examples:\n  baton serve --listen 127.0.0.1:2286 --store file:./baton-data\n"
      "  baton serve --config baton.toml");
  command->callback([&request, command] {
    if (!request.config.empty()) baton::cli::take_config_file(*command, request.config);
    request.run = [&request] { return baton::cli::run_serve(request.serve); };
  });
}

void describe_bench(CLI::App& app, Request& request) {
  baton::cli::BenchRequest& bench = request.bench;
  CLI::App* command = app.add_subcommand("bench", "Measure a server that has nothing else to do");
  command->add_option("--server", bench.server, "URL of the server")
      ->envname("BATON_URL")
      ->capture_default_str();
  command->add_option("--connections", bench.connections, "That submit and work at once")
      ->capture_default_str();
  command->add_option("--seconds", bench.seconds, "For each figure")->capture_default_str();
  command->add_option("--batch", bench.batches, "Jobs a request; may be given several times")
      ->capture_default_str();
  command->add_option("--idle", bench.idle, "Workers that wait beside the measured ones")
      ->capture_default_str();
  command->add_flag("--json", bench.json, "As JSON");
  command->footer("Examples:\n  baton bench --connections 64 --seconds 5");
  command->callback(
      [&request] { request.run = [&request] { return baton::cli::run_bench(request.bench); }; });
}

// A command on the directory of a store.
CLI::App* describe_directory(CLI::App& app, Request& request, const char* name, const char* what,
                             int (*run)(const baton::cli::DirectoryRequest&)) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("--store", request.directory.store, "The store: file:DIR")
      ->capture_default_str();
  command->add_flag("--json", request.directory.json, "As JSON");
  command->footer("Examples:\n" + std::string(kLocalExamples));
  command->callback(
      [&request, run] { request.run = [&request, run] { return run(request.directory); }; });
  return command;
}

void describe_command_line(CLI::App& app, Request& request) {
  app.name("baton");
  app.set_version_flag("--version", "baton " BATON_VERSION, "Print the version and exit");
  app.footer(
      "Examples:\n  baton serve                run a server\n"
      "  baton bench                how fast is it?\n" +
      std::string(baton::cli::kServerExamples) + kLocalExamples);
  describe_serve(app, request);
  baton::cli::describe_job_commands(app, request.run);
  baton::cli::describe_queue_commands(app, request.run);
  describe_bench(app, request);
  describe_profiles(app, request);
  describe_directory(app, request, "doctor", "Examine the data of a store; changes nothing in it",
                     baton::cli::run_doctor);
  CLI::App* backup = describe_directory(
      app, request, "backup", "Copy the data of a store, in use or not", baton::cli::run_backup);
  backup->add_option("TARGET", request.directory.copy, "The directory to make")->required();
  backup->add_flag("--damaged", request.directory.damaged,
                   "Copy what can be read of damaged data, instead of refusing it");
  describe_directory(app, request, "restore", "Make the data of a store from a backup",
                     baton::cli::run_restore)
      ->add_option("BACKUP", request.directory.copy, "The directory that 'baton backup' made")
      ->required();
}

int refuse(const std::string& message) {
  baton::cli::complain(message + "\nSee 'baton --help'.");
  return baton::cli::kWrongUsage;
}

// Help and version are answers, everything else that stops the parser is a mistake of the caller.
int answer(const CLI::App& app, const CLI::ParseError& stop) {
  if (stop.get_exit_code() == 0) {
    const bool version = dynamic_cast<const CLI::CallForVersion*>(&stop) != nullptr;
    const std::string text = version ? stop.what() : app.help();
    return baton::cli::print(version ? text + "\n" : text);
  }
  return refuse(stop.what());
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that went away is reported by write() instead of ending the process in silence.
  std::signal(SIGPIPE, SIG_IGN);
  baton::cli::fill_closed_streams();
  CLI::App app("Baton, a durable job engine");
  Request request;
  describe_command_line(app, request);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    return answer(app, stop);
  }
  // Not CLI11's own check, which would hide that a word is unknown.
  if (app.get_subcommands().empty()) return refuse("a command is needed");
  return request.run();
}
