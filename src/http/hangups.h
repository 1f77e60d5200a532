// Tells when clients close their side of connections that nobody reads from at the moment, because
// too much is open or unsent on them: the end of what a client sends stands behind what it sent,
// and who waits on its behalf should not wait for that to be read. An epoll of its own, whose
// descriptor becomes readable when there is something to take. One thread.
#pragma once

#include <cstdint>
#include <vector>

namespace baton::http {

class Hangups {
 public:
  Hangups();
  ~Hangups();
  Hangups(const Hangups&) = delete;
  Hangups& operator=(const Hangups&) = delete;

  // Becomes readable; -1 when the system had none left, and then nothing is ever told.
  int descriptor() const { return epoll_; }

  // `key` is told once. Closing the socket forgets it.
  void watch(int socket, std::uint64_t key);
  void forget(int socket);

  // Those that have hung up since.
  std::vector<std::uint64_t> take();

 private:
  int epoll_;
};

}  // namespace baton::http
