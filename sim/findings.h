// What a run found wrong: the name of an invariant and a sentence with the particulars. The model
// and the checkers add to it; the run ends at the first step that leaves something in it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::sim {

struct Violation {
  std::string invariant;
  std::string detail;

  friend bool operator==(const Violation&, const Violation&) = default;
};

class Findings {
 public:
  void add(std::string_view invariant, std::string detail) {
    violations_.push_back({std::string(invariant), std::move(detail)});
  }
  bool any() const { return !violations_.empty(); }
  const std::vector<Violation>& all() const { return violations_; }

 private:
  std::vector<Violation> violations_;
};

}  // namespace baton::sim
