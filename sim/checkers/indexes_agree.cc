#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// Every index of the machine says what the rows say; the machine itself looks.
class IndexesAgree final : public Checker {
 public:
  std::string_view name() const override { return "every index equals the rows"; }

  void now_and_then(const StepView& step, Findings& findings) override {
    for (const std::string& sentence : step.node.audit())
      findings.add(name(), sentence);
  }
};

}  // namespace

std::unique_ptr<Checker> make_indexes_agree() { return std::make_unique<IndexesAgree>(); }

}  // namespace baton::sim
