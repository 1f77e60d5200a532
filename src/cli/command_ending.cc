#include "cli/command_ending.h"

#include <sysexits.h>

#include "baton/context.h"
#include "json/flaw.h"

namespace baton::cli {
namespace {

Outcome content_of(const std::string& output) {
  if (!json::find_flaw(output)) return {.bytes = output};
  return {.bytes = output, .content_type = "text/plain"};
}

}  // namespace

std::string ending_text(const ShellEnding& ending) {
  if (ending.stopped) return "stopped";
  if (ending.signal != 0) return "signal " + std::to_string(ending.signal);
  return "exit " + std::to_string(ending.status);
}

std::optional<Outcome> outcome_of(const ShellEnding& ending) {
  if (ending.stopped) throw Cancelled();
  const std::string message =
      ending.last_line.empty() ? "the command ended with " + ending_text(ending) : ending.last_line;
  switch (ending.status) {
    case EX_OK:
      if (ending.truncated) {
        throw PermanentError("the command's output is too long for a result", "result_too_long");
      }
      if (ending.output.empty()) return std::nullopt;
      return content_of(ending.output);
    case EX_USAGE:
    case EX_DATAERR:
      throw PermanentError(message, "exit_" + std::to_string(ending.status));
    case EX_NOPERM:
      throw RejectedError(message);
    default:  // EX_TEMPFAIL is one of them
      throw TemporaryError(message);
  }
}

}  // namespace baton::cli
