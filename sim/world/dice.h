// Random choices of a run. Every step has dice of its own, made from the seed and the number of
// the step, so that leaving a step out does not change what the others draw. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "base/random.h"
#include "base/time.h"

namespace baton::sim {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  // Dice for one purpose within a run.
  static Dice for_step(std::uint64_t seed, std::uint64_t step, std::uint64_t purpose) {
    base::Random mixer(seed * 0x9E3779B97F4A7C15ULL + step);
    const std::uint64_t first = mixer.next();
    return Dice(first ^ (purpose * 0xD1B54A32D192ED03ULL));
  }

  base::Random& random() { return random_; }

  // True in `per_mille` of a thousand cases.
  bool chance(int per_mille) { return random_.below(1000) < static_cast<std::uint64_t>(per_mille); }

  // A number from `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    BATON_ASSERT(low <= high);
    return low +
           static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low) + 1));
  }
  Duration between_ms(std::int64_t low, std::int64_t high) { return Duration{between(low, high)}; }

  std::size_t index(std::size_t size) { return static_cast<std::size_t>(random_.below(size)); }

  template <class T>
  const T& pick(const std::vector<T>& items) {
    BATON_ASSERT(!items.empty());
    return items[index(items.size())];
  }

  // An index, each as likely as its weight says. At least one weight is above zero.
  std::size_t weighted(const std::vector<int>& weights) {
    std::int64_t total = 0;
    for (const int weight : weights)
      total += weight;
    std::int64_t left = between(1, total);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      left -= weights[i];
      if (left <= 0) return i;
    }
    return weights.size() - 1;
  }

 private:
  base::Random random_;
};

}  // namespace baton::sim
