// How far a long command is, on standard error and only when that is a terminal. One thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace baton::cli {

class ProgressBar {
 public:
  explicit ProgressBar(std::size_t total);

  // `done` of the total, which are so many jobs.
  void show(std::size_t done, std::int64_t jobs);
  // Leaves the line to others.
  void clear();

 private:
  bool wanted_;
  std::size_t total_;
  base::SystemClock clock_;
  Duration begun_;
};

}  // namespace baton::cli
