// The self-check of the Machine: what its indexes say, counted again from the slots and the rows.
#include <map>

#include "store/local/core.h"

namespace baton::store::local {
namespace {

using lifecycle::JobState;

// Without what a slot does not keep once it no longer matters. The terms of a row are where it was
// read from, not where the machine has its own.
bool same_facts(lifecycle::Job row, lifecycle::Job slot) {
  if (*row.terms == *slot.terms) row.terms = slot.terms;
  for (lifecycle::Job* job : {&row, &slot}) {
    if (!lifecycle::is_before_schedule(job->state)) job->not_before = {};
  }
  return row == slot;
}

}  // namespace

void Core::audit_slot(SlotIndex index, const Slot& slot, std::vector<std::string>& wrong) const {
  const auto complain = [&](const std::string& what) {
    wrong.push_back("job " + format(slot.id) + " " + what);
  };
  if (slots.find(slot.id) != index) complain("is not found by its id");
  const lifecycle::Job job = slots.load(index);
  const lifecycle::Timers timers = lifecycle::timers_of(job);
  if (wheel.due(index * 2) != timers.lifetime) complain("has a wrong lifetime timer");
  if (wheel.due(index * 2 + 1) != timers.next) complain("has a wrong timer");
  const auto row = archive_.facts(slot.id);
  if (!row) {
    complain("has a row that cannot be read");
  } else if (!*row) {
    complain("has no row");
  } else if (!same_facts((*row)->facts, job)) {
    complain("differs from its row");
  } else if ((*row)->number != slot.number) {
    complain("has another number in its row");
  }
}

void Core::audit_counts(std::vector<std::string>& wrong) const {
  std::map<std::pair<std::uint32_t, JobState>, std::int64_t> counted;
  std::int64_t ready = 0;
  std::int64_t live = 0;
  slots.for_each([&](SlotIndex, const Slot& slot) {
    ++counted[{slot.queue, slot.state}];
    if (slot.state == JobState::kScheduled) ++ready;
    if (!lifecycle::is_terminal(slot.state)) ++live;
  });
  if (ready != lanes.size()) wrong.push_back("the lanes do not hold exactly the ready jobs");
  if (live != live_) wrong.push_back("the number of live jobs is wrong");
  for (std::uint32_t queue = 0; queue < queues.size(); ++queue) {
    for (std::size_t i = 0; i < lifecycle::kJobStateCount; ++i) {
      const auto state = static_cast<JobState>(i);
      if (lifecycle::is_terminal(state)) continue;
      if (counted[{queue, state}] != queues[queue].count(state)) {
        wrong.push_back("queue " + queues[queue].name + " miscounts " +
                        std::string(lifecycle::name(state)));
      }
    }
  }
  for (std::uint32_t i = 0; i < accounts.size(); ++i) {
    if (!lifecycle::balances(accounts[i].balance)) {
      wrong.push_back("account " + accounts[i].id + " does not balance");
    }
  }
}

std::vector<std::string> Core::audit() const {
  std::vector<std::string> wrong;
  slots.for_each([&](SlotIndex index, const Slot& slot) {
    if (!lifecycle::is_terminal(slot.state)) audit_slot(index, slot, wrong);
  });
  audit_counts(wrong);
  return wrong;
}

}  // namespace baton::store::local
