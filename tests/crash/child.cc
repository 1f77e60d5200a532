#include "child.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace baton::crash {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Child::Child(const std::string& directory, std::uint64_t seed, std::int64_t first) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw std::runtime_error("no pipe");
  const std::string seed_text = std::to_string(seed);
  const std::string first_text = std::to_string(first);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::close(pipe[0]);
    ::close(pipe[1]);
    ::execl(BATON_CRASH_CHILD, BATON_CRASH_CHILD, directory.c_str(), seed_text.c_str(),
            first_text.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(pipe[1]);
  output_ = pipe[0];
}

Child::~Child() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(output_);
}

// False at the end of the output.
bool Child::read_more(int timeout_ms) {
  pollfd poll{output_, POLLIN, 0};
  if (::poll(&poll, 1, timeout_ms) <= 0) return true;
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(output_, buffer.data(), buffer.size());
  if (count <= 0) return false;
  pending_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool Child::listen_and_kill(milliseconds after,
                            const std::function<void(const std::string&)>& hear) {
  bool ready = false;
  bool killed = false;
  steady_clock::time_point end;
  while (read_more(1)) {
    std::size_t from = 0;
    for (std::size_t at; (at = pending_.find('\n', from)) != std::string::npos; from = at + 1) {
      const std::string line = pending_.substr(from, at - from);
      if (line == "ready") {
        ready = true;
        end = steady_clock::now() + after;
      } else {
        hear(line);
      }
    }
    pending_.erase(0, from);
    if (ready && !killed && steady_clock::now() >= end) {
      ::kill(pid_, SIGKILL);
      killed = true;
    }
  }
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
  return killed;
}

}  // namespace baton::crash
