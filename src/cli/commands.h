// The commands of the program. Each has one file, in which a function adds it to the parser: its
// name, its options, its examples and the function that runs it. main.cc calls all of them, parses
// the command line and runs what was chosen. Only these files include CLI11, which is slow to
// compile. One thread.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/server_call.h"

namespace baton::cli {

// The program as the parser sees it, and the command that the command line chose. The result of a
// command is the exit code of the program.
struct Program {
  CLI::App app;
  std::function<int()> run;
};

void add_serve(Program& program);
void add_submit(Program& program);
void add_job_commands(Program& program);    // show, list, dead, wait, cancel, retry, explain
void add_queue_commands(Program& program);  // queues, pause, resume, drain, stats
void add_work(Program& program);
void add_workers(Program& program);
void add_profiles(Program& program);
void add_directory_commands(Program& program);  // doctor, backup, restore

// Examples of the commands that need no server, for their help and that of the whole program.
extern const char kLocalExamples[];

// Waits for the end of a job and prints it; without a timeout, as long as it takes. kSuccess when
// it has been completed; kFailure when it ended otherwise, or not in time.
int wait_for(Client& client, bool json, const std::string& id, std::optional<Duration> timeout);

// A command and what its options fill, which lives as long as the parser.
template <class Request>
struct Subcommand {
  CLI::App* app;
  std::shared_ptr<Request> request;

  CLI::Option* option(const char* names, auto Request::*member, const char* what) const {
    return app->add_option(names, (*request).*member, what);
  }
  CLI::Option* flag(const char* names, bool Request::*member, const char* what) const {
    return app->add_flag(names, (*request).*member, what);
  }
};

struct Words {
  const char* name;
  const char* what;
  std::string examples;
};

// A command that needs no server.
template <class Request>
Subcommand<Request> add_command(Program& program, const Words& words, int (*run)(const Request&)) {
  Subcommand<Request> command{program.app.add_subcommand(words.name, words.what),
                              std::make_shared<Request>()};
  command.app->footer(words.examples);
  command.app->callback([&program, run, request = command.request] {
    program.run = [run, request] { return run(*request); };
  });
  return command;
}

// A command that asks a server: with --server and --json, which fill `request.server`.
template <class Request>
Subcommand<Request> add_server_command(Program& program, const Words& words,
                                       int (*run)(const Request&)) {
  Subcommand<Request> command = add_command(program, words, run);
  ServerRequest& server = command.request->server;
  command.app->add_option("--server", server.url,
                          "URL of the server, else BATON_URL, else http://127.0.0.1:2286");
  command.app->add_flag("--json", server.json, "The server's answer, for programs");
  return command;
}

}  // namespace baton::cli
