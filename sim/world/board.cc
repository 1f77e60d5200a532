#include "sim/world/board.h"

#include <algorithm>

namespace baton::sim {
namespace {

constexpr std::size_t kRecent = 30;

JobId pick(const std::vector<JobId>& jobs, Dice& dice) {
  const bool unknown = jobs.empty() || dice.chance(30);
  if (unknown) return store::make_job_id(dice.random());
  const std::size_t recent = std::min(kRecent, jobs.size());
  if (dice.chance(750)) return jobs[jobs.size() - recent + dice.index(recent)];
  return dice.pick(jobs);
}

}  // namespace

Board::Board(const Mix& mix)
    : mix_(mix), types_({"resize", "mail", "report"}), accounts_({"ann", "bob", "cleo", "dan"}) {
  for (const lifecycle::Profile* profile : lifecycle::all_profiles()) {
    queues_.push_back({"q-" + std::string(profile->name), profile});
  }
}

JobId Board::some_job(Dice& dice) const { return pick(jobs_, dice); }
JobId Board::some_draft(Dice& dice) const { return pick(drafts_, dice); }

}  // namespace baton::sim
