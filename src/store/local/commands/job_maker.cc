#include "store/local/commands/job_maker.h"

#include <algorithm>
#include <numeric>

#include "lifecycle/idempotency.h"
#include "lifecycle/payload_class.h"
#include "lifecycle/validate.h"
#include "store/local/commands/handlers.h"

namespace baton::store::local {
namespace {
using lifecycle::GroupCount;

// How soon a client may ask a full queue again.
constexpr Duration kAskAgain = base::seconds(1);

Error unknown_dependency(const std::string& name) {
  return {Code::kUnknownDependency, "no job is called " + name, "depends_on", {}};
}

Error too_wide() {
  return {
      Code::kDependencyTooWide,
      "waits, through others, for more than " + std::to_string(kMostVisited) + " unfinished jobs",
      "depends_on",
      {}};
}

Error refused_dependency() {
  return {Code::kUnknownDependency, "depends on a job that was refused", "depends_on", {}};
}

Error too_wide(std::size_t rows) {
  return {Code::kDependencyTooWide,
          "depends on ended jobs beyond the " + std::to_string(rows) +
              " that one call may look up, children of a FAN_IN included",
          "depends_on",
          {}};
}

}  // namespace

JobMaker::JobMaker(Core& core, const std::vector<std::shared_ptr<const Submission>>& jobs,
                   const Origin& origin)
    : core_(core), origin_(origin), plans_(jobs.size()), depths_(core), waits_(core) {
  for (std::size_t i = 0; i < jobs.size(); ++i)
    plans_[i].spec = jobs[i];
}

const QueueSettings& JobMaker::settings_of(const std::string& queue) const {
  static const QueueSettings kDefaults;
  const std::uint32_t index = core_.queues.find(queue);
  return index == kNoName ? kDefaults : core_.queues[index].settings();
}

void JobMaker::plan() {
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    validate(plans_[i]);
    const std::string& ref = plans_[i].spec->ref;
    if (ref.empty() || refs_.emplace(ref, static_cast<int>(i)).second) continue;
    plans_[i].error = Error{Code::kInvalidJob, "ref must be used once in a batch", "ref", {}};
  }
  bring_up_to_date();
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    auto unknown = resolve(plans_[i], i);
    if (!plans_[i].error) plans_[i].error = std::move(unknown);
  }
  plan_graph();
  for (const int index : order_)
    judge(static_cast<std::size_t>(index));
}

void JobMaker::validate(Plan& plan) {
  Result<lifecycle::Terms> terms =
      lifecycle::accept(*plan.spec, settings_of(plan.spec->queue), core_.terms.functions());
  if (!terms) {
    plan.error = terms.error();
    return;
  }
  const Status in_time = lifecycle::check_time_to_run(*plan.spec, *terms, core_.now());
  if (!in_time) plan.error = in_time.error();
  plan.terms = core_.terms.keep(std::move(*terms));
}

// What is due for the jobs that hold the batch's keys applies before anything is judged: it may
// free a key, take a place in a queue or give credits back. A parent is spared, because its call is
// judged by its arrival.
void JobMaker::bring_up_to_date() {
  if (!core_.may_be_due()) return;
  for (const Plan& plan : plans_) {
    if (plan.error) continue;
    bring_key_holder(*plan.spec);
    bring_unique_holder(*plan.spec);
  }
}

void JobMaker::bring_key_holder(const Submission& spec) {
  const auto lookups = lifecycle::keys_of(spec, settings_of(spec.queue), core_.now());
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const Key key = make_key(spec.type, lookups[i].key);
    const auto max_age = i == 0 ? std::nullopt : std::optional(lookups[i].max_age);
    const KeyHolder* holder = holder_of(key, max_age);
    if (holder == nullptr) continue;
    const JobId id = holder->job;
    const bool live = core_.slots.find(id) != kNoSlot;
    if (live && id != origin_.parent) static_cast<void>(core_.find(id));
    if (holder_of(key, max_age) != nullptr) return;
  }
}

const KeyHolder* JobMaker::holder_of(const Key& key, std::optional<Duration> max_age) const {
  const KeyHolder* holder = core_.keys.find(key, core_.now());
  if (holder == nullptr || lost_key(holder->job)) return nullptr;
  if (!max_age) return holder;
  return core_.now() - holder->created_at < *max_age ? holder : nullptr;
}

Result<JobMaker::Dependency> JobMaker::find_dependency(const std::string& name) {
  if (name.starts_with('#')) {
    const auto found = refs_.find(std::string_view(name).substr(1));
    if (found == refs_.end()) return unknown_dependency(name);
    return Dependency{found->second, {}};
  }
  const auto id = parse_job_id(name);
  if (!id) return unknown_dependency(name);
  if (const auto refused = check_lookups()) return *refused;
  const auto state = core_.state_of(*id);
  if (!state) return state.error();
  if (*state == JobState::kNone) return unknown_dependency(name);
  return Dependency{kOutside, *id};
}

std::optional<Error> JobMaker::check_lookups() const {
  const std::size_t most = core_.tuning().rows_per_command;
  if (core_.lookups() < most) return std::nullopt;
  return too_wide(most);
}

// Everything that is counted when the job is made is looked up before anything is: making reads
// nothing.
std::optional<Error> JobMaker::look_up_children(const Plan& plan) {
  for (const Group& group : plan.groups) {
    if (group.type != DependencyType::kFanIn) continue;
    for (const Dependency& named : group.jobs) {
      const Dependency dependency = resolved(named);
      if (dependency.inside != kOutside) continue;
      const auto state = core_.state_of(dependency.id);
      if (!state) return state.error();
      if (!is_terminal(*state)) continue;
      if (auto refused = check_lookups()) return refused;
      const auto children = core_.children_of(dependency.id);
      if (!children) return children.error();
      for (const JobId& child : *children) {
        if (auto refused = check_lookups()) return refused;
        const auto newest = core_.newest_copy(child);
        if (!newest) return newest.error();
        const auto known = core_.state_of(*newest);
        if (!known) return known.error();
        const bool gone = *known == JobState::kNone;
        if (gone && !origin_.redriven_from.is_nil()) return dependency_gone(*newest);
      }
    }
  }
  return std::nullopt;
}

// Even a job that is refused has its place in the graph: a cycle through it is still a cycle.
std::optional<Error> JobMaker::resolve(Plan& plan, std::size_t index) {
  std::optional<Error> unknown;
  if (origin_.dependencies_met) return unknown;
  for (const baton::Dependency& spec : plan.spec->depends_on) {
    Group group{spec.type, spec.allow_failures, {}};
    for (const std::string& name : spec.jobs) {
      const auto dependency = find_dependency(name);
      if (dependency) group.jobs.push_back(*dependency);
      if (!dependency && !unknown) unknown = dependency.error();
    }
    plan.groups.push_back(std::move(group));
  }
  if (origin_.chain && index > 0) {
    const Dependency before{static_cast<int>(index) - 1, {}};
    plan.groups.push_back({DependencyType::kAfter, false, {before}});
  }
  return unknown;
}

// Only what was judged before is resolved: a duplicate is not known as one earlier.
JobMaker::Dependency JobMaker::resolved(const Dependency& dependency) const {
  if (dependency.inside == kOutside) return dependency;
  const Plan& plan = plans_[static_cast<std::size_t>(dependency.inside)];
  if (plan.duplicate) return {kOutside, *plan.duplicate};
  return plan.same_as != kOutside ? Dependency{plan.same_as, {}} : dependency;
}

void JobMaker::plan_graph() {
  const bool free = std::all_of(plans_.begin(), plans_.end(),
                                [](const Plan& plan) { return plan.groups.empty(); });
  if (free) {
    order_.resize(plans_.size());
    std::iota(order_.begin(), order_.end(), 0);
    return;
  }
  std::vector<lifecycle::GraphNode> nodes(plans_.size());
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    for (const Group& group : plans_[i].groups) {
      for (const Dependency& dependency : group.jobs) {
        if (dependency.inside != kOutside) nodes[i].inside.push_back(dependency.inside);
      }
    }
  }
  lifecycle::GraphPlan graph = lifecycle::plan_batch(nodes);
  order_ = std::move(graph.order);
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (!plans_[i].error) plans_[i].error = std::move(graph.refused[i]);
  }
}

// nullopt when it cannot be found out in bounded time.
std::optional<int> JobMaker::depth_of(const Plan& plan) {
  int deepest = 0;
  for (const Group& group : plan.groups) {
    for (const Dependency& named : group.jobs) {
      const Dependency dependency = resolved(named);
      if (dependency.inside != kOutside) {
        deepest = std::max(deepest, plans_[static_cast<std::size_t>(dependency.inside)].depth);
        continue;
      }
      const JobId& id = dependency.id;
      if (is_replaced(id)) continue;
      const auto depth = exact_depths_ ? depths_.depth_of(id) : core_.depth_bound(id);
      if (!depth) return std::nullopt;
      deepest = std::max(deepest, *depth);
    }
  }
  return deepest + 1;
}

std::optional<Error> JobMaker::check_depth(Plan& plan) {
  auto depth = depth_of(plan);
  if (depth && !lifecycle::check_depth(*depth) && !exact_depths_) {
    // The bounds may be too high by now; nobody is refused on their word.
    exact_depths_ = true;
    for (const int index : order_) {
      Plan& judged = plans_[static_cast<std::size_t>(index)];
      depth = depth_of(judged);
      if (!depth || &judged == &plan) break;
      judged.depth = *depth;
    }
  }
  if (!depth) return too_wide();
  plan.depth = *depth;
  const Status fits = lifecycle::check_depth(plan.depth);
  if (!fits) return fits.error();
  return std::nullopt;
}

// A new job can be waited for by others only as a child: whoever waits for all children of its
// parent waits for it.
std::optional<Error> JobMaker::check_cycle(const Plan& plan) {
  if (core_.slots.find(origin_.parent) == kNoSlot) return std::nullopt;
  const Error cycle{Code::kDependencyCycle,
                    "waits for a job that waits for all children of its parent",
                    "depends_on",
                    {}};
  for (const Group& group : plan.groups) {
    for (const Dependency& named : group.jobs) {
      const Dependency dependency = resolved(named);
      if (dependency.inside != kOutside || is_replaced(dependency.id)) continue;
      const bool fans_in = group.type == DependencyType::kFanIn;
      if (fans_in && dependency.id == origin_.parent) return cycle;
      const auto meets = waits_.meets_fan_in(dependency.id, fans_in, origin_.parent);
      if (!meets) return too_wide();
      if (*meets) return cycle;
    }
  }
  return std::nullopt;
}

bool JobMaker::waits_for_refused(const Plan& plan) const {
  for (const Group& group : plan.groups) {
    for (const Dependency& dependency : group.jobs) {
      if (dependency.inside == kOutside) continue;
      if (plans_[static_cast<std::size_t>(dependency.inside)].error) return true;
    }
  }
  return false;
}

// Jobs are judged dependencies first, so that a refused one refuses those that wait for it.
void JobMaker::judge(std::size_t index) {
  Plan& plan = plans_[index];
  if (plan.error) return;
  if (waits_for_refused(plan)) {
    plan.error = refused_dependency();
    return;
  }
  plan.error = check_depth(plan);
  if (plan.error) return;
  const auto taken = take_existing(plan);
  if (!taken) plan.error = taken.error();
  if (!taken || *taken) return;
  plan.error = meet_holder(plan);
  if (plan.error || plan.duplicate || plan.same_as != kOutside) return;
  plan.error = check_making(plan);
  if (plan.error) return;
  plan.priority = effective_priority(plan);
  if (plan.replaces) note_replaced(*plan.replaces);
  plan.ending = planned_ending(plan);
  if (plan.ending && !origin_.redriven_from.is_nil()) {
    const std::string because = lifecycle::bad_ending_text(planned_verdict(plan));
    plan.error = Error{Code::kConflict, "the copy would end at once: " + because, {}, {}};
    return;
  }
  note_key(plan, index);
  note_unique(plan, index);
  if (makes_queue(plan)) new_queues_.insert(plan.spec->queue);
  if (plan.ending) {
    give_back(holdings_of(plan));
  } else if (settings_of(plan.spec->queue).max_pending) {
    ++pending_in(plan.spec->queue);
  }
}

// What a replaced holder had is free when the job that replaces it is judged, and is the holder's
// again when that one is refused.
std::optional<Error> JobMaker::check_making(Plan& plan) {
  std::optional<Error> error = look_up_children(plan);
  if (!error) error = check_cycle(plan);
  if (error) return error;
  if (plan.replaces) free_place(holdings_of(*plan.replaces));
  error = check_queue(plan);
  if (!error) error = check_account(plan);
  if (error && plan.replaces) take_again(holdings_of(*plan.replaces));
  return error;
}

JobState JobMaker::planned_state(const Dependency& dependency) const {
  // It was looked up before: there is no error any more.
  if (dependency.inside == kOutside) {
    return is_replaced(dependency.id) ? JobState::kCancelled
                                      : core_.state_of(dependency.id).value();
  }
  const Plan& plan = plans_[static_cast<std::size_t>(dependency.inside)];
  if (plan.replaced) return JobState::kCancelled;
  return plan.ending.value_or(JobState::kPending);
}

// What the dependencies say at the creation.
lifecycle::Verdict JobMaker::planned_verdict(const Plan& plan) const {
  std::vector<GroupCount> counts;
  for (const Group& group : plan.groups) {
    GroupCount count{group.type, group.allow_failures, 0, 0, JobState::kNone};
    for (const Dependency& named : group.jobs) {
      const Dependency dependency = resolved(named);
      const JobState state = planned_state(dependency);
      ++count.total;
      if (!is_terminal(state)) continue;
      if (group.type == DependencyType::kFanIn && dependency.inside == kOutside) {
        core_.count_children(dependency.id, count, [](const JobId&) {});
      }
      lifecycle::count_ending(count, state, dependency.id);
    }
    counts.push_back(count);
  }
  return lifecycle::verdict_of(counts);
}

// How the job ends at its creation, because a dependency has ended badly already.
std::optional<JobState> JobMaker::planned_ending(const Plan& plan) const {
  if (plan.spec->draft) return std::nullopt;
  const lifecycle::Verdict verdict = planned_verdict(plan);
  if (verdict.kind != lifecycle::Verdict::Kind::kBad) return std::nullopt;
  return lifecycle::dependent_ending(*plan.terms->profile, verdict.ending);
}

JobMaker::Holdings JobMaker::holdings_of(const Plan& plan) {
  return {plan.spec->queue, plan.spec->account, plan.counts_quota, plan.spec->cost.value_or(0)};
}

// A job that ends keeps none of its account's credits and no place in its quota.
void JobMaker::give_back(const Holdings& holdings) {
  if (!holdings.counts_quota && holdings.credits == 0) return;
  // It was looked up before: there is no error any more.
  AccountUse& use = *use_of(holdings.account).value();
  if (holdings.counts_quota) lifecycle::count_ended(use.use);
  if (holdings.credits == 0) return;
  use.balance = lifecycle::post(use.balance, PostingKind::kRelease, holdings.credits).value();
}

Result<bool> JobMaker::take_existing(Plan& plan) {
  const auto lookups = lifecycle::keys_of(*plan.spec, settings_of(plan.spec->queue), core_.now());
  if (!lookups.empty() || plan.spec->unique) plan.payload = hash_payload(*plan.spec);
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const Key key = make_key(plan.spec->type, lookups[i].key);
    const bool own_key = i == 0;
    if (own_key) {
      plan.key = key;
      plan.key_window = lookups[i].max_age;
    }
    const KeyHolder* holder =
        holder_of(key, own_key ? std::nullopt : std::optional(lookups[i].max_age));
    if (holder == nullptr) continue;
    // Its facts are the answer.
    const auto state = core_.state_of(holder->job);
    if (!state) return state.error();
    plan.duplicate = holder->job;
    plan.payload_differs = differ(holder->payload, plan.payload);
    return true;
  }
  if (!plan.key) return false;
  const auto holder = key_holders_.find(*plan.key);
  if (holder == key_holders_.end()) return false;
  plan.same_as = holder->second;
  plan.payload_differs = differ(payload_of({plan.same_as, {}}), plan.payload);
  return true;
}

// The job will be made: later ones of the batch with its key are the same job, unless it ends at
// once and gives the key back.
void JobMaker::note_key(const Plan& plan, std::size_t index) {
  if (!plan.key) return;
  if (plan.ending && !lifecycle::keeps_key(*plan.terms->profile, *plan.ending)) return;
  key_holders_.emplace(*plan.key, static_cast<int>(index));
}

std::optional<Error> JobMaker::check_queue(const Plan& plan) {
  const QueueSettings& settings = settings_of(plan.spec->queue);
  if (settings.draining) return draining();
  if (makes_queue(plan) && core_.queues.size() + new_queues_.size() >= core_.tuning().most_queues) {
    return too_many_queues(core_.tuning().most_queues);
  }
  if (!settings.max_pending) return std::nullopt;
  const std::int64_t waiting = pending_in(plan.spec->queue);
  if (waiting < *settings.max_pending) return std::nullopt;
  return Error{Code::kQueueFull,
               "the queue already has " + std::to_string(waiting) + " waiting jobs", "queue",
               kAskAgain};
}

// Whether the queue is new, also in this batch. Known only where queues are few short of the limit.
bool JobMaker::makes_queue(const Plan& plan) const {
  if (core_.queues.size() + plans_.size() <= core_.tuning().most_queues) return false;
  return core_.queues.find(plan.spec->queue) == kNoName && !new_queues_.contains(plan.spec->queue);
}

// The waiting jobs of a queue that has a limit, with those that this batch adds.
std::int64_t& JobMaker::pending_in(const std::string& queue) {
  for (auto& [name, count] : pending_) {
    if (name == queue) return count;
  }
  const std::uint32_t index = core_.queues.find(queue);
  return pending_.emplace_back(queue, core_.queues[index].waiting()).second;
}

Result<JobMaker::AccountUse*> JobMaker::use_of(const std::string& account) {
  for (AccountUse& use : accounts_) {
    if (use.id == account) return &use;
  }
  const auto index = core_.account(account);
  if (!index) return index.error();
  AccountUse use{account, Tier::kGuest, {}, {}};
  if (*index != kNoName) {
    const KnownAccount& known = core_.accounts[*index];
    use = {account, known.tier, known.balance, known.use};
  }
  return &accounts_.emplace_back(std::move(use));
}

std::optional<Error> JobMaker::check_account(Plan& plan) {
  const Submission& spec = *plan.spec;
  const Amount cost = spec.cost.value_or(0);
  plan.counts_quota = !spec.account.empty() && plan.terms->profile->policy.quota;
  if (!plan.counts_quota && cost == 0) return std::nullopt;
  const auto known = use_of(spec.account);
  if (!known) return known.error();
  AccountUse& use = **known;
  if (plan.counts_quota) {
    const Status fits = lifecycle::check_quota(use.use, use.tier, core_.now());
    if (!fits) return fits.error();
  }
  if (cost > 0) {
    const auto reserved = lifecycle::post(use.balance, PostingKind::kReserve, cost);
    if (!reserved) return reserved.error();
    use.balance = *reserved;
  }
  if (plan.counts_quota) lifecycle::count_submission(use.use, core_.now());
  return std::nullopt;
}

Priority JobMaker::effective_priority(const Plan& plan) const {
  Priority priority = plan.spec->priority;
  const auto inherit = [&](Priority from) {
    priority = lifecycle::inherited_priority(priority, from);
  };
  for (const Group& group : plan.groups) {
    for (const Dependency& dependency : group.jobs) {
      JobId id = dependency.id;
      if (dependency.inside != kOutside) {
        const Plan& other = plans_[static_cast<std::size_t>(dependency.inside)];
        if (other.same_as != kOutside) {
          inherit(plans_[static_cast<std::size_t>(other.same_as)].priority);
          continue;
        }
        if (!other.duplicate) {
          inherit(other.priority);
          continue;
        }
        id = *other.duplicate;
      }
      const SlotIndex slot = core_.slots.find(id);
      if (slot != kNoSlot) {
        inherit(core_.slots[slot].priority);
      } else if (const auto found = core_.archived(id); found && *found != nullptr) {
        inherit((*found)->facts.priority);
      }
    }
  }
  return priority;
}

std::optional<BatchRefusal> JobMaker::first_refusal() const {
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (plans_[i].error) return BatchRefusal{i, *plans_[i].error};
  }
  return std::nullopt;
}

}  // namespace baton::store::local
