#include "cli/shell_command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "base/clock.h"

extern char** environ;  // NOLINT: POSIX wants it declared here

namespace baton::cli {
namespace {

constexpr std::size_t kMaxLine = 4096;
// How often to look after a command whose end cannot be polled for.
constexpr int kLookMs = 50;

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor reading;
  Descriptor writing;

  bool make() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
    return true;
  }
};

void never_block(const Descriptor& descriptor) {
  ::fcntl(descriptor.number(), F_SETFL, ::fcntl(descriptor.number(), F_GETFL) | O_NONBLOCK);
}

// The environment of this program with `more` on top.
std::vector<char*> environment_with(const std::vector<std::string>& more) {
  const auto replaced = [&](const char* entry) {
    for (const std::string& each : more) {
      const std::size_t name = each.find('=') + 1;
      if (std::strncmp(entry, each.c_str(), name) == 0) return true;
    }
    return false;
  };
  std::vector<char*> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!replaced(*entry)) all.push_back(*entry);
  }
  for (const std::string& each : more)
    all.push_back(const_cast<char*>(each.c_str()));
  all.push_back(nullptr);
  return all;
}

// One run of a command.
class Run {
 public:
  Run(const ShellCommand& command, std::stop_token stop)
      : command_(command), stop_(std::move(stop)) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Result<ShellEnding> run() {
    if (const int error = start(); error != 0) {
      return Error{.code = Code::kStoreUnavailable,
                   .message = std::string("cannot run /bin/sh: ") + std::strerror(error)};
    }
    const std::stop_callback wake(stop_, [this] {
      const std::uint64_t one = 1;
      (void)!::write(wake_.number(), &one, sizeof one);
    });
    while (!ended())
      look();
    finish();
    return std::move(ending_);
  }

 private:
  // Zero, or the number of the error.
  int start() {
    wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_.open() || !input_.make() || !output_.make() || !errors_.make()) return errno;
    const int error = spawn();
    input_.reading.close();
    output_.writing.close();
    errors_.writing.close();
    if (error != 0) return error;
    never_block(input_.writing);
    never_block(output_.reading);
    never_block(errors_.reading);
    end_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
    left_ = command_.input;
    if (left_.empty()) input_.writing.close();
    return 0;
  }

  int spawn() {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, input_.reading.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output_.writing.number(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors_.writing.number(), STDERR_FILENO);
    // What this program ignores or blocks must not be a surprise for the command.
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGPIPE, SIGTERM, SIGINT})
      sigaddset(&defaults, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const char* arguments[] = {"/bin/sh", "-c", command_.line.c_str(), nullptr};
    std::vector<char*> environment = environment_with(command_.environment);
    const int error = ::posix_spawn(&process_, "/bin/sh", &actions, &attributes,
                                    const_cast<char**>(arguments), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
  }

  // Whether the command has ended. It stays a zombie, so that its number is still its own.
  bool ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
           info.si_pid == process_;
  }

  void look() {
    std::array<pollfd, 5> waiting = {{{wake_.number(), POLLIN, 0},
                                      {end_.number(), POLLIN, 0},
                                      {input_.writing.number(), POLLOUT, 0},
                                      {output_.reading.number(), POLLIN, 0},
                                      {errors_.reading.number(), POLLIN, 0}}};
    ::poll(waiting.data(), waiting.size(), patience());
    if (waiting[0].revents != 0 && !ending_.stopped) ask_to_stop();
    if (waiting[2].revents != 0) feed();
    if (waiting[3].revents != 0) take_output();
    if (waiting[4].revents != 0) take_errors();
    if (kill_at_ && clock_.monotonic().ms >= *kill_at_) kill_group(SIGKILL);
  }

  int patience() const {
    const int look = end_.open() ? -1 : kLookMs;
    if (!kill_at_) return look;
    // Once it was killed, there is only its end to wait for.
    const std::int64_t left = std::max<std::int64_t>(*kill_at_ - clock_.monotonic().ms, kLookMs);
    return look < 0 ? static_cast<int>(std::min<std::int64_t>(left, 60'000)) : look;
  }

  void ask_to_stop() {
    ending_.stopped = true;
    kill_at_ = clock_.monotonic().ms + command_.grace.ms;
    std::uint64_t count = 0;
    (void)!::read(wake_.number(), &count, sizeof count);
    kill_group(SIGTERM);
  }

  void kill_group(int signal) const { ::kill(-process_, signal); }

  void feed() {
    const ssize_t count = ::write(input_.writing.number(), left_.data(), left_.size());
    if (count > 0) left_.remove_prefix(static_cast<std::size_t>(count));
    // A command need not read what it does not want.
    if (left_.empty() || (count < 0 && errno != EAGAIN && errno != EINTR)) input_.writing.close();
  }

  // What is there to read; false when there is nothing now. Closes at the end.
  static bool read_some(Descriptor& from, std::string& into) {
    std::array<char, 65536> piece{};
    const ssize_t count = ::read(from.number(), piece.data(), piece.size());
    if (count > 0) {
      into.assign(piece.data(), static_cast<std::size_t>(count));
      return true;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) from.close();
    return false;
  }

  bool take_output() {
    std::string piece;
    if (!read_some(output_.reading, piece)) return false;
    const std::size_t room = command_.max_output - ending_.output.size();
    ending_.truncated = ending_.truncated || piece.size() > room;
    ending_.output.append(piece, 0, room);
    return true;
  }

  bool take_errors() {
    std::string piece;
    if (!read_some(errors_.reading, piece)) return false;
    (void)!::write(STDERR_FILENO, piece.data(), piece.size());
    for (const char c : piece) {
      if (c == '\n' || c == '\r') {
        if (!line_.empty()) ending_.last_line = std::exchange(line_, {});
      } else if (line_.size() < kMaxLine) {
        line_ += c;
      }
    }
    return true;
  }

  // Takes what is still in the pipes, ends what is left of the group, and the zombie.
  void finish() {
    kill_group(SIGKILL);
    while (output_.reading.open() && take_output()) {
    }
    while (errors_.reading.open() && take_errors()) {
    }
    if (!line_.empty()) ending_.last_line = line_;
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    ending_.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ending_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

  const ShellCommand& command_;
  std::stop_token stop_;
  base::SystemClock clock_;
  Descriptor wake_;
  Descriptor end_;  // readable when the command has ended; not open where the system has none
  Pipe input_;
  Pipe output_;
  Pipe errors_;
  pid_t process_ = -1;
  std::string_view left_;  // of the input
  std::string line_;       // of its standard error, as far as it has come
  std::optional<std::int64_t> kill_at_;
  ShellEnding ending_;
};

}  // namespace

Result<ShellEnding> run_shell(const ShellCommand& command, std::stop_token stop) {
  return Run(command, std::move(stop)).run();
}

}  // namespace baton::cli
