// The command line of the commands that talk to a server, described for its parser. Only main.cc
// and the sources of this header include CLI11, which is slow to compile.
#pragma once

#include <functional>
#include <memory>

namespace CLI {
class App;
}  // namespace CLI

namespace baton::cli {

struct ServerRequest;

// The command that the command line asks for.
using Run = std::function<int()>;

// submit, show, list, wait, cancel, retry, explain, dead.
void describe_job_commands(CLI::App& app, Run& run);
// queues, pause, resume, drain, stats, work.
void describe_queue_commands(CLI::App& app, Run& run);

// What stands under Examples in the help of the whole program.
extern const char kServerExamples[];

// --server and --json, which all of them have.
void describe_server(CLI::App& command, ServerRequest& server);

}  // namespace baton::cli
