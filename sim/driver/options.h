// The command line of the simulator.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "baton/result.h"

namespace baton::sim {

struct Options {
  std::uint64_t seed = 1;
  int runs = 1;
  int steps = 1000;
  int jobs = 0;     // processes at once; 0: as many as there are cores
  std::string mix;  // empty: each seed has its turn of the mixes
  std::set<int> skip;
  std::string expected;  // what must be found (findings.h); empty: nothing may be
  bool disk = false;     // the mixes with a disk
  bool trace = false;
  bool quiet = false;
  bool stats = false;
  bool shrink = true;
  bool help = false;
};

extern const char* const kUsage;

// Refused with bad_request: an unknown option, a value that is missing or out of range.
Result<Options> parse_options(const std::vector<std::string>& arguments);

// "3,5-9" as numbers, and back.
Result<std::set<int>> parse_skip(const std::string& text);
std::string format_skip(const std::set<int>& skip);

}  // namespace baton::sim
