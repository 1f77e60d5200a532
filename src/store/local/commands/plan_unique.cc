// Uniqueness, the part of a submission's judgement that comes after its idempotency key: who holds
// its unique key, and what the submission gets instead of a job, or does to the holder.
#include "lifecycle/idempotency.h"
#include "lifecycle/uniqueness.h"
#include "store/local/commands/job_maker.h"

namespace baton::store::local {
namespace {

Error held_by(const std::string& holder, const char* why) {
  return {Code::kConflict, holder + " holds the unique key" + why, "unique.key", {}};
}

}  // namespace

void JobMaker::bring_unique_holder(const Submission& spec) {
  if (!spec.unique) return;
  const JobId* holder = core_.uniques.find(make_key(spec.type, spec.unique->key));
  if (holder == nullptr || *holder == origin_.parent) return;
  static_cast<void>(core_.find(JobId(*holder)));
}

// The job of the batch, or the existing one, that holds the key as planned so far.
std::optional<JobMaker::Dependency> JobMaker::holder_of_unique(const Key& key) const {
  const auto planned = unique_holders_.find(key);
  if (planned != unique_holders_.end()) {
    if (planned->second == kOutside) return std::nullopt;
    return Dependency{planned->second, {}};
  }
  const JobId* existing = core_.uniques.find(key);
  if (existing == nullptr) return std::nullopt;
  return Dependency{kOutside, *existing};
}

std::optional<Error> JobMaker::meet_holder(Plan& plan) {
  const std::optional<Unique>& unique = plan.spec->unique;
  if (!unique) return std::nullopt;
  plan.unique = make_key(plan.spec->type, unique->key);
  const auto holder = holder_of_unique(*plan.unique);
  if (!holder) return std::nullopt;
  // A copy of an ended job is to be a new one.
  const bool redriven = !origin_.redriven_from.is_nil();
  switch (redriven ? OnConflict::kRefuse : unique->on_conflict) {
    case OnConflict::kExisting:
      if (holder->inside == kOutside) plan.duplicate = holder->id;
      plan.same_as = holder->inside;
      plan.payload_differs = differ(payload_of(*holder), plan.payload);
      return std::nullopt;
    case OnConflict::kReplace:
      plan.replaces = holder;
      return check_replaceable(*holder);
    case OnConflict::kRefuse:
      break;
  }
  if (holder->inside == kOutside) return held_by("job " + to_string(holder->id), "");
  return held_by("job " + std::to_string(holder->inside) + " of the batch", "");
}

// A job that the batch makes does not run.
std::optional<Error> JobMaker::check_replaceable(const Dependency& holder) const {
  if (holder.inside != kOutside) return std::nullopt;
  if (lifecycle::can_be_replaced(core_.slots[core_.slots.find(holder.id)].state)) {
    return std::nullopt;
  }
  return held_by("job " + to_string(holder.id), " and runs");
}

PayloadHash JobMaker::payload_of(const Dependency& holder) const {
  if (holder.inside != kOutside) return plans_[static_cast<std::size_t>(holder.inside)].payload;
  return core_.slots[core_.slots.find(holder.id)].extras->unique->payload;
}

JobMaker::Holdings JobMaker::holdings_of(const Dependency& holder) const {
  static const std::string kNone;
  if (holder.inside != kOutside) {
    return holdings_of(plans_[static_cast<std::size_t>(holder.inside)]);
  }
  const SlotIndex index = core_.slots.find(holder.id);
  const Slot& slot = core_.slots[index];
  const lifecycle::JobFacts job = core_.slots.load(index);
  const std::uint32_t account = slot.extras->account;
  return {core_.queues[slot.queue].name, account == kNoName ? kNone : core_.accounts[account].id,
          job.has_account, job.held};
}

void JobMaker::free_place(const Holdings& holdings) {
  give_back(holdings);
  if (settings_of(holdings.queue).max_pending) --pending_in(holdings.queue);
}

// The opposite of free_place.
void JobMaker::take_again(const Holdings& holdings) {
  if (settings_of(holdings.queue).max_pending) ++pending_in(holdings.queue);
  if (!holdings.counts_quota && holdings.credits == 0) return;
  AccountUse& use = *use_of(holdings.account).value();
  if (holdings.counts_quota) ++use.use.active;
  if (holdings.credits == 0) return;
  use.balance = lifecycle::post(use.balance, PostingKind::kReserve, holdings.credits).value();
}

// From here on the holder counts as cancelled, with all that follows from it for the jobs of the
// batch that are judged later.
void JobMaker::note_replaced(const Dependency& holder) {
  if (holder.inside == kOutside) {
    replaced_.insert(holder.id);
    return;
  }
  Plan& plan = plans_[static_cast<std::size_t>(holder.inside)];
  plan.replaced = true;
  if (plan.key && !lifecycle::keeps_key(*plan.terms->profile, JobState::kCancelled)) {
    key_holders_.erase(*plan.key);
  }
}

// Whether an existing job that is replaced gives its idempotency key back, too.
bool JobMaker::lost_key(const JobId& holder) const {
  if (!is_replaced(holder)) return false;
  const lifecycle::TermsRef& terms = core_.slots[core_.slots.find(holder)].terms;
  return !lifecycle::keeps_key(*terms->profile, JobState::kCancelled);
}

// The job will be made, and hold its key unless it ends at once.
void JobMaker::note_unique(Plan& plan, std::size_t index) {
  if (!plan.unique) return;
  unique_holders_[*plan.unique] = plan.ending ? kOutside : static_cast<int>(index);
}

// In the step that makes the job: those who wait for the holder follow as for any cancel.
void JobMaker::cancel_replaced(const Plan& plan) {
  const std::string reason = "replaced by " + to_string(plan.id);
  const SlotIndex holder = core_.slots.find(made_id(*plan.replaces));
  const auto change = lifecycle::decide(core_.slots.load(holder), lifecycle::Cancel{false, reason},
                                        core_.now(), core_.random());
  core_.apply(holder, change.value());
}

void JobMaker::hold_unique(const Plan& plan, SlotIndex slot, Brought& brought) {
  if (!plan.unique) return;
  const HeldUnique held{*plan.unique, plan.spec->unique->held_while, plan.payload};
  core_.hold_unique(slot, held);
  brought.born().unique = held;
}

}  // namespace baton::store::local
