// A running hash over everything that a run's machine said and wrote. Two runs of one seed must
// have the same; anything that depends on addresses, hash tables or the clock shows here.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/world/node.h"

namespace baton::sim {

class Digest {
 public:
  void add(const Turn& turn);
  void add(std::int64_t number);
  std::uint64_t value() const { return value_; }

 private:
  void add(std::string_view text);
  void add(const JobId& id);
  void add(const lifecycle::JobFacts& job);
  void add(const lifecycle::ExecutionFacts& execution);
  void add(const Answer& answer);
  void add(const store::local::RowChange& change);

  std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

}  // namespace baton::sim
