// The self-check of the Machine: what its indexes say, counted again from the slots and the rows.
#include <algorithm>
#include <map>

#include "lifecycle/uniqueness.h"
#include "store/local/machine/core.h"

namespace baton::store::local {
namespace {

// Without what a slot does not keep once it no longer matters. The terms of a row are where it was
// read from, not where the machine has its own.
bool same_facts(lifecycle::JobFacts row, lifecycle::JobFacts slot) {
  if (*row.terms == *slot.terms) row.terms = slot.terms;
  for (lifecycle::JobFacts* job : {&row, &slot}) {
    if (!lifecycle::is_before_schedule(job->state)) job->not_before = {};
  }
  return row == slot;
}

bool same_staged(const JobRecord& row, const Extras& extras) {
  return std::equal(row.staged.begin(), row.staged.end(), extras.staged.begin(),
                    extras.staged.end(), [](const auto& a, const auto& b) { return *a == *b; });
}

}  // namespace

void Core::audit_slot(SlotIndex index, const std::set<DueTimer>& fired,
                      std::vector<std::string>& wrong) const {
  const Slot& slot = slots[index];
  const auto complain = [&](const std::string& what) {
    wrong.push_back("job " + to_string(slot.id) + " " + what);
  };
  if (slots.find(slot.id) != index) complain("is not found by its id");
  const lifecycle::JobFacts job = slots.load(index);
  const lifecycle::Timers timers = lifecycle::timers_of(job);
  const auto is_set = [&](TimerIndex timer, Time due) {
    if (wheel.due(timer) == due) return true;
    // It has fired, and a later turn applies it.
    return due <= now_ && !wheel.due(timer).is_set() && fired.contains({due, slot.number, index});
  };
  if (!is_set(index * 2, timers.lifetime)) complain("has a wrong lifetime timer");
  if (!is_set(index * 2 + 1, timers.next)) complain("has a wrong timer");
  const auto row = archive_.facts(slot.id);
  const auto whole = archive_.record(slot.id);
  const auto record = whole ? *whole : nullptr;
  if (!row || !whole) {
    complain("has a row that cannot be read");
  } else if (!*row || !record) {
    complain("has no row");
  } else if (!same_facts((*row)->facts, job)) {
    complain("differs from its row");
  } else if ((*row)->number != slot.number) {
    complain("has another number in its row");
  } else if (slot.extras && !same_staged(*record, *slot.extras)) {
    complain("has staged other children than its row");
  } else if (slot.extras && slot.extras->children != record->children) {
    complain("has other children than its row");
  }
  if (slot.extras && slot.extras->has_key) {
    const KeyHolder* holder = keys.find(slot.extras->key, now_);
    const bool lost = holder != nullptr && holder->job != slot.id;
    if (lost && holder->created_at <= slot.created_at) complain("lost its key to an older job");
  }
}

// Every job that is still waited for stands once in the list of whoever waits for it.
void Core::audit_waits(std::vector<std::string>& wrong) const {
  std::map<std::pair<JobId, std::uint32_t>, std::int32_t> open;
  for (const auto& [waited_for, waiting] : waiters_) {
    // Those of the first unsettled job who have been told stand in the list until all are.
    const bool partly = !unsettled_.empty() && unsettled_.front().id == waited_for;
    for (std::size_t i = partly ? unsettled_.front().next : 0; i < waiting.size(); ++i)
      ++open[{waiting[i].dependent, waiting[i].group}];
  }
  slots.for_each([&](SlotIndex, const Slot& slot) {
    if (!slot.extras || !lifecycle::is_before_schedule(slot.state)) return;
    const auto& groups = slot.extras->groups;
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
      if (open[{slot.id, i}] == groups[i].total - groups[i].ended) continue;
      wrong.push_back("job " + to_string(slot.id) +
                      " waits for another number of jobs than it counts");
    }
  });
}

// What live jobs hold of an account, counted again.
void Core::audit_accounts(std::vector<std::string>& wrong) const {
  std::map<std::uint32_t, Amount> held;
  std::map<std::uint32_t, std::int64_t> active;
  std::map<std::uint32_t, std::uint32_t> holders;
  slots.for_each([&](SlotIndex index, const Slot& slot) {
    if (!slot.extras) return;
    ++holders[slot.extras->account];
    if (is_terminal(slot.state)) return;
    const lifecycle::JobFacts job = slots.load(index);
    held[slot.extras->account] += job.held;
    if (job.has_account) ++active[slot.extras->account];
  });
  accounts.for_each([&](std::uint32_t i, const KnownAccount& account) {
    const auto complain = [&](const char* what) {
      wrong.push_back("account " + account.id + " " + what);
    };
    if (!lifecycle::balances(account.balance)) complain("does not balance");
    if (account.balance.reserved != held[i]) complain("has reserved other credits than its jobs");
    if (account.use.active != active[i]) complain("miscounts its active jobs");
    if (account.holders != holders[i]) complain("miscounts the jobs that have its index");
    if (!archive_.is_told(account.id)) return;
    const auto row = archive_.account(account.id);
    const StoredAccount same{record_of(account), account.use.submissions, account.entry_count};
    if (!row) {
      complain("has a row that cannot be read");
    } else if (*row != same) {
      complain("differs from its row");
    }
  });
}

void Core::audit_counts(std::vector<std::string>& wrong) const {
  std::map<std::pair<std::uint32_t, JobState>, std::int64_t> counted;
  std::int64_t ready = 0;
  std::int64_t live = 0;
  slots.for_each([&](SlotIndex, const Slot& slot) {
    ++counted[{slot.queue, slot.state}];
    if (slot.state == JobState::kScheduled) ++ready;
    if (!is_terminal(slot.state)) ++live;
  });
  if (ready != lanes.size()) wrong.push_back("the lanes do not hold exactly the ready jobs");
  if (live != live_) wrong.push_back("the number of live jobs is wrong");
  Queues::Counts totals{};
  for (const std::uint32_t queue : queues.by_name()) {
    for (std::size_t i = 0; i < lifecycle::kJobStateCount; ++i) {
      const auto state = static_cast<JobState>(i);
      totals[i] += queues[queue].count(state);
      const auto found = counted.extract({queue, state});
      if (is_terminal(state)) continue;
      if ((found ? found.mapped() : 0) != queues[queue].count(state)) {
        wrong.push_back("queue " + queues[queue].name + " miscounts " + std::string(name(state)));
      }
    }
  }
  if (totals != queues.totals()) wrong.push_back("the counts of all queues do not add up");
  if (!counted.empty()) wrong.push_back("there are jobs of a queue that is not there");
}

// Whoever waits is known to whom it waits for, and will be told of every end.
void Core::audit_waiters(std::vector<std::string>& wrong) const {
  std::set<JobId> unsettled;
  for (const Unsettled& one : unsettled_)
    unsettled.insert(one.id);
  for (const auto& [id, waiting] : waiters_) {
    const SlotIndex slot = slots.find(id);
    const bool live = slot != kNoSlot && !is_terminal(slots[slot].state);
    if (!live && !unsettled.contains(id)) {
      wrong.push_back("nobody will be told how job " + to_string(id) + " ended");
    }
  }
  slots.for_each([&](SlotIndex, const Slot& slot) {
    if (slot.state != JobState::kPending) return;
    for (const Wait& wait : slot.extras->dependencies) {
      const SlotIndex other = slots.find(wait.job);
      if (other == kNoSlot || is_terminal(slots[other].state)) continue;
      const auto found = waiters_.find(wait.job);
      const bool known = found != waiters_.end() &&
                         std::any_of(found->second.begin(), found->second.end(),
                                     [&](const Waiter& one) { return one.dependent == slot.id; });
      if (!known) wrong.push_back("job " + to_string(slot.id) + " is unknown to one it waits for");
    }
  });
}

// Children of ended jobs cannot go until all who wait for their parents were told.
void Core::audit_untold(std::vector<std::string>& wrong) const {
  std::size_t children = 0;
  for (const Unsettled& one : unsettled_) {
    children += one.children.size();
    for (const JobId& child : one.children) {
      if (!untold_children_.contains(child))
        wrong.push_back("job " + to_string(child) + " could go");
    }
  }
  if (children != untold_children_.size()) wrong.emplace_back("a job cannot go for no reason");
}

// Every unique key is known as held by the one job that holds it.
void Core::audit_uniques(std::vector<std::string>& wrong) const {
  std::size_t held = 0;
  slots.for_each([&](SlotIndex index, const Slot& slot) {
    if (!slot.extras || !slot.extras->unique) return;
    ++held;
    const auto complain = [&](const char* what) {
      wrong.push_back("job " + to_string(slot.id) + " " + what);
    };
    const HeldUnique& unique = *slot.extras->unique;
    const JobId* holder = uniques.find(unique.key);
    if (holder == nullptr || *holder != slot.id) complain("is not known to hold its unique key");
    if (!lifecycle::holds_unique(unique.held_while, slots.load(index))) {
      complain("did not give its unique key back");
    }
  });
  if (held != uniques.size()) wrong.emplace_back("a unique key is held by nobody");
}

std::vector<std::string> Core::audit() const {
  std::vector<std::string> wrong;
  std::set<DueTimer> fired;
  due_.for_each([&](const DueTimer& timer) { fired.insert(timer); });
  slots.for_each([&](SlotIndex index, const Slot& slot) {
    if (!is_terminal(slot.state)) audit_slot(index, fired, wrong);
  });
  audit_waiters(wrong);
  audit_counts(wrong);
  audit_waits(wrong);
  audit_untold(wrong);
  audit_accounts(wrong);
  audit_uniques(wrong);
  return wrong;
}

}  // namespace baton::store::local
