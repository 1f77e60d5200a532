// What the end of a command means for its job: the table of exit codes. Pure.
#pragma once

#include <optional>

#include "baton/job.h"
#include "cli/shell_command.h"

namespace baton::cli {

// The result of a command that ended with 0: its output, as JSON when it is JSON; none when there
// was no output. Throws what a handler throws (see baton/context.h) for every other ending:
//   75 and all that have no row: TemporaryError; 64, 65: PermanentError; 77: RejectedError;
//   a command that was asked to stop: Cancelled, whatever its code.
std::optional<Outcome> outcome_of(const ShellEnding& ending);

// "exit 75", "signal 9", for people.
std::string ending_text(const ShellEnding& ending);

}  // namespace baton::cli
