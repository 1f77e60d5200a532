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

// `sought`: an invariant, and after a colon and a space some words of the particulars, or none.
inline bool is_sought(const Violation& violation, std::string_view sought) {
  const std::size_t colon = sought.find(": ");
  if (violation.invariant != sought.substr(0, colon)) return false;
  return colon == std::string_view::npos ||
         violation.detail.find(sought.substr(colon + 2)) != std::string::npos;
}

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
