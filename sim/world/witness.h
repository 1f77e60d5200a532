// Whoever looks at a run: the model, the checkers, and what counts, adds up and describes its
// steps. A step that the store has kept is shown once, in its order. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/checkers/checker.h"
#include "sim/model/reference.h"
#include "sim/world/digest.h"
#include "sim/world/run.h"
#include "sim/world/tally.h"

namespace baton::sim {

class Witness {
 public:
  explicit Witness(const RunPlan& plan) : plan_(plan), checkers_(all_checkers()) {}

  void see(const Step& step, const Node& node);
  // Compares everything. Slow.
  void look_at_all(const Step& step, const Node& node);

  // Something that is no step, in words and for the counts.
  void note(const std::string& what);
  void found(std::string_view invariant, const std::string& detail) {
    findings_.add(invariant, detail);
  }
  bool alarmed() const { return findings_.any(); }
  Digest& digest() { return digest_; }

  // The violation, the digest and the counts.
  RunReport report() const;

 private:
  const RunPlan& plan_;
  Reference reference_;
  Checkers checkers_;
  Digest digest_;
  Tally tally_;
  std::map<std::string, std::int64_t> notes_;
  Findings findings_;
};

}  // namespace baton::sim
