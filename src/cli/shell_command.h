// Runs one command of the shell to its end: bytes go in, bytes come out, and on request it is
// stopped. Blocks; any thread, several at once.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "baton/result.h"

namespace baton::cli {

struct ShellCommand {
  std::string line;                      // for /bin/sh -c
  std::string input;                     // for its standard input
  std::vector<std::string> environment;  // "NAME=value", besides the environment of this program
  Duration grace{10'000};                // from SIGTERM to SIGKILL
  std::size_t max_output = std::size_t{16} << 20;
};

struct ShellEnding {
  int status = 0;          // the exit code; -1 when a signal ended it
  int signal = 0;          // that signal
  std::string output;      // what came on its standard output, up to the limit
  bool truncated = false;  // there was more
  std::string last_line;   // of its standard error, which also goes to the one of this program
  bool stopped = false;    // it was asked to stop before it ended
};

// The command gets a process group of its own. Whatever is left of the group when the command ends
// is killed. When `stop` is requested, the group gets SIGTERM and after the grace SIGKILL.
// store_unavailable: it could not be started.
Result<ShellEnding> run_shell(const ShellCommand& command, std::stop_token stop);

}  // namespace baton::cli
