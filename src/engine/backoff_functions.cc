#include "engine/backoff_functions.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

namespace baton::engine {
namespace {

constexpr std::size_t kSlots = 64;

std::array<std::atomic<BackoffFunction>, kSlots> slots{};
std::mutex slots_mutex;

template <std::size_t kSlot>
base::Duration call_slot(int retry, base::Duration initial, base::Duration max) {
  const BackoffFunction function = slots[kSlot].load();
  return {function(retry, Duration(initial.ms), Duration(max.ms)).count()};
}

template <std::size_t... kSlot>
constexpr std::array<BackoffFunction, kSlots> all_calls(std::index_sequence<kSlot...>) {
  return {&call_slot<kSlot>...};
}
constexpr auto kCalls = all_calls(std::make_index_sequence<kSlots>{});

// nullptr when no slot is left.
BackoffFunction take_slot(BackoffFunction function) {
  const std::lock_guard lock(slots_mutex);
  for (std::size_t i = 0; i < kSlots; ++i) {
    const BackoffFunction there = slots[i].load();
    if (there != nullptr && there != function) continue;
    slots[i].store(function);
    return kCalls[i];
  }
  return nullptr;
}

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
    const BackoffFunction call = take_slot(function);
    if (call == nullptr) {
      return refusal("a process can have at most " + std::to_string(kSlots) + " backoff functions");
    }
    made.by_name_.emplace(name, call);
  }
  return made;
}

BackoffFunction BackoffFunctions::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace baton::engine
