#include "engine/backoff_functions.h"

#include <utility>

namespace baton::engine {
namespace {

Error refusal(const std::string& message) {
  return {.code = Code::kBadRequest, .message = message, .field = "backoff_functions"};
}

}  // namespace

Result<BackoffFunctions> BackoffFunctions::make(
    const std::map<std::string, BackoffFunction>& functions) {
  BackoffFunctions made;
  for (const auto& [name, function] : functions) {
    if (name.empty()) return refusal("a backoff function needs a name");
    if (function == nullptr) return refusal("there is no function behind the name " + name);
    made.by_name_.emplace(name, function);
  }
  return made;
}

BackoffFunction BackoffFunctions::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace baton::engine
