#include "cli/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace baton::cli {
namespace {

constexpr std::size_t kWidth = 30;

}  // namespace

ProgressBar::ProgressBar(std::size_t total)
    : wanted_(::isatty(STDERR_FILENO) == 1), total_(total), begun_(clock_.monotonic()) {}

void ProgressBar::show(std::size_t done, std::int64_t jobs) {
  if (!wanted_ || total_ == 0) return;
  const std::size_t filled = std::min(done, total_) * kWidth / total_;
  const std::int64_t ms = std::max<std::int64_t>(clock_.monotonic().ms - begun_.ms, 1);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] %lld jobs, %lld/s ", bar.c_str(), static_cast<long long>(jobs),
               static_cast<long long>(jobs * 1000 / ms));
}

void ProgressBar::clear() {
  if (wanted_) std::fputs("\r\x1b[K", stderr);
}

}  // namespace baton::cli
