#include "cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cli/terminal.h"

namespace baton::cli {
namespace {

// Zero, or the number of the error.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t taken = ::write(descriptor, text.data(), text.size());
    if (taken >= 0) {
      text.remove_prefix(static_cast<std::size_t>(taken));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::optional<std::string> read_descriptor(int descriptor) {
  std::string all;
  std::array<char, 65536> piece{};
  while (true) {
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count == 0) return all;
    if (count > 0) {
      all.append(piece.data(), static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return std::nullopt;
    }
  }
}

bool closed_output = false;

}  // namespace

void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    if (stream == STDOUT_FILENO) closed_output = true;
    // The lowest number that is free is this one. The wrong direction makes every use of it fail.
    const int flags = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", flags) != stream) std::_Exit(kFailure);
  }
}

bool output_was_closed() { return closed_output; }

int print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return kSuccess;
  if (error == EPIPE) return kReaderGone;
  complain(std::string("cannot write to standard output: ") + std::strerror(error));
  return kFailure;
}

void complain(std::string_view message) {
  std::string text = "baton: ";
  // What a server said may be in it: nothing but our own line breaks may move a terminal's cursor.
  do {
    const std::string_view line = message.substr(0, message.find('\n'));
    text += printable(line, kLongestComplaint) + "\n";
    message.remove_prefix(std::min(line.size() + 1, message.size()));
  } while (!message.empty());
  write_all(STDERR_FILENO, text);
}

int fail(std::string_view message) {
  complain(message);
  return kFailure;
}

int refuse(std::string_view message) {
  complain(message);
  return kWrongUsage;
}

std::optional<std::string> read_all(const std::string& path) {
  const bool standard = path == "-";
  const int descriptor = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto all = descriptor < 0 ? std::nullopt : read_descriptor(descriptor);
  const int error = errno;
  if (!standard && descriptor >= 0) ::close(descriptor);
  if (!all) {
    complain("cannot read " + (standard ? "standard input" : path) + ": " + std::strerror(error));
  }
  return all;
}

}  // namespace baton::cli
