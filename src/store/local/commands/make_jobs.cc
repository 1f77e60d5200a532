// The second half of a submission: what was planned and judged is made, in one step with its keys,
// dependencies, credits and quota.
#include <algorithm>

#include "lifecycle/payload_class.h"
#include "store/local/commands/handlers.h"
#include "store/local/commands/job_maker.h"

namespace baton::store::local {

std::vector<Result<MadeJob>> JobMaker::make() {
  std::vector<std::optional<Result<MadeJob>>> made(plans_.size());
  for (const int index : order_) {
    const auto at = static_cast<std::size_t>(index);
    Plan& plan = plans_[at];
    if (!plan.error) made[at] = make_one(plan);
  }
  bring_answers_up_to_date(made);
  std::vector<Result<MadeJob>> results;
  results.reserve(plans_.size());
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    results.push_back(made[i] ? std::move(*made[i]) : Result<MadeJob>(*plans_[i].error));
  }
  return results;
}

// A job of the batch, or an existing one, may have been replaced since it was answered.
void JobMaker::bring_answers_up_to_date(std::vector<std::optional<Result<MadeJob>>>& made) const {
  const bool replaces = std::any_of(plans_.begin(), plans_.end(),
                                    [](const Plan& plan) { return plan.replaces && !plan.error; });
  if (!replaces) return;
  for (std::optional<Result<MadeJob>>& one : made) {
    if (!one || !*one) continue;
    const SlotIndex slot = core_.slots.find((*one)->id);
    if (slot != kNoSlot) (*one)->facts = core_.slots.load(slot);
  }
}

JobId JobMaker::made_id(int index) const { return plans_[static_cast<std::size_t>(index)].id; }

JobId JobMaker::made_id(const Dependency& dependency) const {
  return dependency.inside == kOutside ? dependency.id : made_id(dependency.inside);
}

// What is kept names its dependencies by id, whatever the batch called them.
std::shared_ptr<const Submission> JobMaker::resolved_spec(const Plan& plan) const {
  const bool as_submitted = plan.spec->ref.empty() &&
                            std::all_of(plan.groups.begin(), plan.groups.end(), [](const auto& g) {
                              return std::all_of(g.jobs.begin(), g.jobs.end(), [](const auto& d) {
                                return d.inside == kOutside;
                              });
                            });
  if (as_submitted) return plan.spec;
  auto resolved = std::make_shared<Submission>(*plan.spec);
  resolved->ref.clear();
  resolved->depends_on.clear();
  for (const Group& group : plan.groups) {
    baton::Dependency spec{group.type, {}, group.allow_failures};
    for (const Dependency& dependency : group.jobs) {
      spec.jobs.push_back(to_string(made_id(dependency)));
    }
    resolved->depends_on.push_back(std::move(spec));
  }
  return resolved;
}

Result<MadeJob> JobMaker::make_one(Plan& plan) {
  if (plan.duplicate || plan.same_as != kOutside) {
    plan.id = plan.duplicate ? *plan.duplicate : made_id(plan.same_as);
    // What was due for it has been applied, unless it is the parent, for which that must wait.
    const SlotIndex slot = core_.slots.find(plan.id);
    if (slot != kNoSlot) {
      return MadeJob{plan.id, core_.slots.load(slot), true, plan.payload_differs};
    }
    const auto existing = core_.find(plan.id);
    if (!existing) return existing.error();
    return MadeJob{plan.id, existing->facts, true, plan.payload_differs};
  }
  const Submission& spec = *plan.spec;
  bool queue_made = false;
  const std::uint32_t queue = core_.queues.make(spec.queue, &queue_made);
  if (queue_made) {
    core_.turn().changes.emplace_back(QueueChange{spec.queue, core_.queues[queue].settings()});
  }
  plan.id = make_job_id(core_.random_source());
  if (plan.replaces) cancel_replaced(plan);
  const SlotIndex slot = core_.add(plan.id, queue, spec.type);
  Brought brought;
  lifecycle::Verdict verdict = connect(plan, slot, brought);
  const std::string because = lifecycle::bad_ending_text(verdict);
  verdict.because = because;
  reserve(plan, slot);
  hold_key(plan, slot, brought);
  hold_unique(plan, slot, brought);
  const lifecycle::Create create{.terms = plan.terms.get(),
                                 .priority = plan.priority,
                                 .draft = spec.draft,
                                 .delay = spec.delay.value_or(Duration{}),
                                 .not_before = spec.run_at.value_or(Time{}),
                                 .dependencies = verdict,
                                 .cost = spec.cost.value_or(0),
                                 .has_callback = !spec.callback_url.empty(),
                                 .has_account = plan.counts_quota,
                                 .payload_class = lifecycle::payload_class_of(spec.payload.size())};
  const auto change = lifecycle::decide({}, create, core_.now(), core_.random());
  brought.made = resolved_spec(plan);
  brought.parent = origin_.parent;
  brought.redriven_from = origin_.redriven_from;
  core_.apply(slot, change.value(), std::move(brought));
  return MadeJob{plan.id, change->job, false};
}

// Counts what has ended already and registers the job with everything else it waits for.
lifecycle::Verdict JobMaker::connect(const Plan& plan, SlotIndex slot, Brought& brought) {
  if (plan.groups.empty()) return lifecycle::Verdict::ready();
  Extras& extras = core_.slots.extras(slot);
  extras.depth = plan.depth;
  Waits& waits = brought.born().waits;
  const auto wait_for = [&](const JobId& id, std::size_t group, bool named) {
    waits.open.push_back({id, static_cast<std::uint32_t>(group), named});
    core_.wait_for(plan.id, waits.open.back());
  };
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    const Group& group = plan.groups[i];
    lifecycle::GroupCount count{group.type, group.allow_failures, 0, 0, JobState::kNone};
    for (const Dependency& dependency : group.jobs) {
      const JobId id = made_id(dependency);
      const JobState state = core_.state_of(id).value();
      extras.dependencies.push_back({id, static_cast<std::uint32_t>(i), true});
      ++count.total;
      if (!is_terminal(state)) {
        wait_for(id, i, true);
        continue;
      }
      if (group.type == DependencyType::kFanIn) {
        core_.count_children(id, count, [&](const JobId& child) {
          wait_for(child, i, false);
          extras.dependencies.push_back(waits.open.back());
        });
      }
      lifecycle::count_ending(count, state, id);
    }
    extras.groups.push_back(count);
  }
  waits.depth = plan.depth;
  waits.groups = extras.groups;
  return lifecycle::verdict_of(extras.groups);
}

void JobMaker::hold_key(const Plan& plan, SlotIndex slot, Brought& brought) {
  if (!plan.key) return;
  Extras& extras = core_.slots.extras(slot);
  extras.key = *plan.key;
  extras.has_key = true;
  const Time end = core_.now() + plan.key_window;
  core_.keys.hold(*plan.key, {plan.id, core_.now(), end, plan.payload});
  brought.born().key = HeldKey{*plan.key, end, plan.payload};
}

void JobMaker::reserve(const Plan& plan, SlotIndex slot) {
  const Amount cost = plan.spec->cost.value_or(0);
  if (plan.spec->account.empty()) return;
  if (!plan.counts_quota && cost == 0) return;
  const std::uint32_t account = core_.accounts.make(plan.spec->account);
  core_.set_account(slot, account);
  AccountNews news;
  if (plan.counts_quota) {
    lifecycle::count_submission(core_.accounts[account].use, core_.now());
    news.submitted = core_.now();
  }
  if (cost > 0) {
    core_.post(account, PostingKind::kReserve, cost, plan.id, std::move(news));
  } else {
    core_.turn().changes.emplace_back(change_of(core_.accounts[account], std::move(news)));
  }
}
}  // namespace baton::store::local
