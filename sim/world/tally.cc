#include "sim/world/tally.h"

#include <array>

namespace baton::sim {
namespace {

using namespace store;         // NOLINT(google-build-using-namespace)
using namespace store::local;  // NOLINT(google-build-using-namespace)

// In the order of the alternatives of Command.
const std::array<const char*, 20> kCommandNames = {
    "submit", "claim",   "call",   "calls",   "cancel",       "reject", "draft",
    "patch",  "retry",   "delete", "set",     "remove queue", "grant",  "timers",
    "prune",  "explain", "queue",  "account", "stats",        "unread"};
static_assert(std::variant_size_v<Command> == kCommandNames.size());

std::string name_of(const Command& command) {
  if (const auto* call = std::get_if<WorkCall>(&command)) {
    return std::string(name(call->kind()));
  }
  return kCommandNames[command.index()];
}

}  // namespace

void Tally::add(const StepView& step) {
  for (std::size_t i = 0; i < step.commands.size(); ++i) {
    const std::string verb = name_of(step.commands[i]);
    const Answer& answer = step.turn.answers[i];
    const auto* error = std::get_if<Error>(&answer);
    ++counts_[verb + ": " + (error ? std::string(name(error->code)) : "ok")];
    const auto* submitted = std::get_if<SubmitAnswer>(&answer);
    if (submitted == nullptr) continue;
    if (submitted->refused) {
      ++counts_["batch: " + std::string(name(submitted->refused->error.code))];
    }
    for (const auto& result : submitted->results) {
      const bool duplicate = result.ok() && result->duplicate;
      ++counts_["job: " + (result.ok() ? std::string(duplicate ? "duplicate" : "made")
                                       : std::string(name(result.error().code)))];
    }
  }
  for (const RowChange& change : step.turn.changes) {
    const auto* job = std::get_if<JobChange>(&change);
    if (job == nullptr) continue;
    for (const auto& entry : job->history) {
      ++counts_["moved: " + std::string(name(entry.from)) + " → " + std::string(name(entry.to)) +
                " by " + std::string(name(entry.trigger))];
    }
  }
}

}  // namespace baton::sim
