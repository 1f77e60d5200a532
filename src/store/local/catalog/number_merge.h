// Falling numbers out of several sources, each of which gives its own in falling order, a few at a
// time: as many as are wanted, and hardly more, are ever asked for. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace baton::store::local {

class NumberMerge {
 public:
  // Appends the source's numbers below `below`, at most `limit`, the highest first.
  using Source =
      std::function<void(std::int64_t below, std::size_t limit, std::vector<std::int64_t>& into)>;

  // `wanted`: about how many numbers the caller will take.
  NumberMerge(std::vector<Source> sources, std::int64_t below, std::size_t wanted);

  // The highest number that is left.
  std::optional<std::int64_t> next();

 private:
  struct Run {
    Source source;
    std::vector<std::int64_t> numbers;
    std::size_t place = 0;
    std::size_t ask = 0;  // so many the next time
    bool ended = false;   // the source has no more than `numbers`
  };

  void refill(std::size_t run, std::int64_t below);

  std::vector<Run> runs_;
  std::priority_queue<std::pair<std::int64_t, std::size_t>> heads_;  // number, run
};

}  // namespace baton::store::local
