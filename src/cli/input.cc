#include "cli/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "cli/output.h"

namespace baton::cli {
namespace {

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

}  // namespace

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
