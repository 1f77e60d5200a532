#include "server/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

namespace baton::server {
namespace {

constexpr std::size_t kMostServed = 10'000;
constexpr std::size_t kMostTurnedAway = 64;
constexpr std::size_t kReserve = 64;
constexpr std::size_t kFewest = 8;  // of a process that has hardly any

std::size_t soft_limit(const rlimit& limit) {
  return limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    // Left as it is where the system refuses.
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
  }
  return descriptor_limit();
}

std::size_t descriptor_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? soft_limit(limit) : 1024;
}

ConnectionLimits connections_for(std::size_t descriptors) {
  const std::size_t kept = kReserve + descriptors / 10;
  const std::size_t rest = std::max(descriptors > kept ? descriptors - kept : 0, kFewest + 1);
  const std::size_t turned_away = std::min(kMostTurnedAway, std::max<std::size_t>(rest / 8, 1));
  return {std::min(kMostServed, rest - turned_away), turned_away};
}

}  // namespace baton::server
