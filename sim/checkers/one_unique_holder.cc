#include <map>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// While a job holds a unique key, no second one of its type does. Walks through the changes in
// their order.
class OneUniqueHolder final : public Checker {
 public:
  std::string_view name() const override { return "a unique key has at most one holder"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each<JobChange>(step, [&](const JobChange& change) {
      if (change.made && change.made->unique) take(change, findings);
      const auto held = keys_.find(change.id);
      if (held == keys_.end() || still_holds(held->second, change)) return;
      holders_.erase(held->second.key);
      keys_.erase(held);
    });
  }

 private:
  using Key = std::pair<std::string, std::string>;  // job type, key
  struct Held {
    Key key;
    bool until_claim = false;
  };

  void take(const JobChange& change, Findings& findings) {
    const Unique& unique = *change.made->unique;
    const Key key{change.made->type, unique.key};
    const auto [holder, taken] = holders_.emplace(key, change.id);
    if (!taken) {
      findings.add(name(), "job " + shown(change.id) + " was made with the unique key " +
                               unique.key + ", which " + shown(holder->second) + " holds");
    }
    keys_[change.id] = {key, unique.held_while == UniqueWhile::kWaiting};
  }

  static bool still_holds(const Held& held, const JobChange& change) {
    if (is_terminal(change.facts.state)) return false;
    return !held.until_claim || change.facts.attempt == 0;
  }

  std::map<Key, JobId> holders_;
  std::map<JobId, Held> keys_;
};

}  // namespace

std::unique_ptr<Checker> make_one_unique_holder() { return std::make_unique<OneUniqueHolder>(); }

}  // namespace baton::sim
