// How the reference model says that the machine did something else than expected. A mismatch is
// thrown inside the model and caught at its door (Reference::check), because nothing that follows
// one can be judged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/uuid.h"
#include "lifecycle/states.h"
#include "store/ids.h"

namespace baton::sim {

struct Mismatch {
  std::string what;
};

[[noreturn]] inline void mismatch(std::string what) { throw Mismatch{std::move(what)}; }

inline std::string shown(bool value) { return value ? "true" : "false"; }
inline std::string shown(int value) { return std::to_string(value); }
inline std::string shown(std::int64_t value) { return std::to_string(value); }
inline std::string shown(std::size_t value) { return std::to_string(value); }
inline std::string shown(const std::string& value) { return '"' + value + '"'; }
inline std::string shown(Time value) { return value.is_set() ? std::to_string(value.ms) : "unset"; }
inline std::string shown(Duration value) { return std::to_string(value.ms) + " ms"; }
// The first characters of an id are enough to tell the jobs of a run apart.
inline std::string shown(const JobId& id) { return to_string(id).substr(0, 8); }
inline std::string shown(JobState value) { return std::string(name(value)); }
inline std::string shown(ExecutionStatus value) { return std::string(name(value)); }
inline std::string shown(FailureCategory value) { return std::string(name(value)); }
inline std::string shown(ErrorType value) { return std::string(name(value)); }
inline std::string shown(Priority value) { return std::string(name(value)); }
inline std::string shown(Trigger value) { return std::string(name(value)); }
inline std::string shown(Actor value) { return std::string(name(value)); }

template <class T>
std::string shown(const std::optional<T>& value) {
  return value ? shown(*value) : "none";
}

inline void expect(bool holds, std::string_view what) {
  if (!holds) mismatch(std::string(what));
}

template <class T>
void expect_equal(std::string_view what, const T& expected, const T& actual) {
  if (expected == actual) return;
  mismatch(std::string(what) + ": expected " + shown(expected) + ", got " + shown(actual));
}

}  // namespace baton::sim
