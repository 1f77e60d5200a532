#include "http/hangups.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>

namespace baton::http {

Hangups::Hangups() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

Hangups::~Hangups() {
  if (epoll_ >= 0) ::close(epoll_);
}

void Hangups::watch(int socket, std::uint64_t key) {
  epoll_event event{};
  event.events = EPOLLRDHUP | EPOLLONESHOT;
  event.data.u64 = key;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
}

void Hangups::forget(int socket) { ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr); }

std::vector<std::uint64_t> Hangups::take() {
  std::array<epoll_event, 64> events{};
  std::vector<std::uint64_t> keys;
  const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
  keys.reserve(events.size());
  for (int i = 0; i < count; ++i)
    keys.push_back(events.at(static_cast<std::size_t>(i)).data.u64);
  return keys;
}

}  // namespace baton::http
