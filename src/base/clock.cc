#include "base/clock.h"

#include <ctime>

namespace baton::base {
namespace {

std::int64_t read_ms(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

Time SystemClock::wall() const { return Time{read_ms(CLOCK_REALTIME)}; }

Duration SystemClock::monotonic() const { return Duration{read_ms(CLOCK_MONOTONIC)}; }

}  // namespace baton::base
