#include <algorithm>
#include <optional>
#include <set>

#include "sim/model/mismatch.h"
#include "sim/model/verbs.h"

namespace baton::sim {
namespace {
using store::SubmitAnswer;
using store::SubmitBatch;

constexpr int kMaxDepth = 100;

// One job of a batch while the batch is worked through.
struct Member {
  Spec spec;
  std::vector<std::size_t> inside;  // jobs of the batch that it waits for
  bool names_unknown = false;       // a reference or an id that does not exist
  bool placed = false;              // its turn in the order has come
  bool refused = false;
  JobId id;                       // once it is made, or found to be a duplicate
  std::optional<JobId> replaces;  // who holds its unique key and gives way
};

std::optional<std::size_t> index_of_ref(const SubmitBatch& batch, const std::string& ref) {
  for (std::size_t i = 0; i < batch.jobs.size(); ++i) {
    if (!ref.empty() && batch.jobs[i]->ref == ref) return i;
  }
  return std::nullopt;
}

std::vector<Member> members_of(Scene& scene, const SubmitBatch& batch) {
  std::vector<Member> members(batch.jobs.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    Member& member = members[i];
    member.spec = batch.jobs[i];
    if (batch.chain && i > 0) member.inside.push_back(i - 1);
    for (const auto& group : member.spec->depends_on) {
      for (const std::string& name : group.jobs) {
        if (!name.empty() && name[0] == '#') {
          const auto index = index_of_ref(batch, name.substr(1));
          if (index) member.inside.push_back(*index);
          if (!index) member.names_unknown = true;
        } else {
          const auto id = parse_job_id(name);
          if (!id || scene.state.find(*id) == nullptr) member.names_unknown = true;
        }
      }
    }
  }
  return members;
}

// Dependencies first, else as submitted. What is left out stands on a cycle or behind one.
std::vector<std::size_t> order_of(std::vector<Member>& members) {
  std::vector<std::size_t> order;
  for (;;) {
    bool found = false;
    for (std::size_t i = 0; i < members.size() && !found; ++i) {
      Member& member = members[i];
      const bool free = std::all_of(member.inside.begin(), member.inside.end(),
                                    [&](std::size_t at) { return members[at].placed; });
      if (member.placed || !free) continue;
      member.placed = true;
      order.push_back(i);
      found = true;
    }
    if (!found) return order;
  }
}

// Whether the job waits, through others of the batch, for itself.
bool waits_for_itself(const std::vector<Member>& members, std::size_t start) {
  std::vector<bool> seen(members.size(), false);
  std::vector<std::size_t> open = members[start].inside;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at == start) return true;
    if (seen[at]) continue;
    seen[at] = true;
    open.insert(open.end(), members[at].inside.begin(), members[at].inside.end());
  }
  return false;
}

// Jobs on the longest chain of unfinished dependencies, this one included. Jobs of the same batch
// count as unfinished, even one that ends as soon as it is made. A job of before that has left
// PENDING waits for nobody any more, though an AFTER_ANY of it may name unfinished jobs.
int depth_of(const State& state, const std::vector<ModelGroup>& groups,
             const std::vector<JobId>& same_batch, std::map<JobId, int>& known) {
  int deepest = 0;
  for (const ModelGroup& group : groups) {
    for (const JobId& id : group.jobs) {
      const ModelJob& job = state.any(id);
      const bool inside = std::find(same_batch.begin(), same_batch.end(), id) != same_batch.end();
      if (is_end(job.state) && !inside) continue;
      const bool waits =
          inside || job.state == JobState::kCreated || job.state == JobState::kPending;
      const auto found = known.find(id);
      int depth = found != known.end() ? found->second : 1;
      if (found == known.end() && waits) depth = depth_of(state, job.groups, same_batch, known);
      known[id] = depth;
      deepest = std::max(deepest, depth);
    }
  }
  return deepest + 1;
}

std::vector<ModelGroup> groups_of(const std::vector<Member>& members, const SubmitBatch& batch,
                                  std::size_t index) {
  std::vector<ModelGroup> groups;
  for (const auto& spec : members[index].spec->depends_on) {
    ModelGroup group{spec.type, spec.allow_failures, {}};
    for (const std::string& name : spec.jobs) {
      const bool is_ref = name[0] == '#';
      group.jobs.push_back(is_ref ? members[*index_of_ref(batch, name.substr(1))].id
                                  : *parse_job_id(name));
    }
    groups.push_back(group);
  }
  if (batch.chain && index > 0) {
    groups.push_back({DependencyType::kAfter, false, {members[index - 1].id}});
  }
  return groups;
}

}  // namespace

Priority priority_of(const State& state, const Submission& spec,
                     const std::vector<ModelGroup>& groups) {
  Priority priority = spec.priority;
  for (const ModelGroup& group : groups) {
    for (const JobId& id : group.jobs)
      priority = std::min(priority, state.any(id).priority);
  }
  return priority;
}

namespace {

class BatchCheck {
 public:
  BatchCheck(Scene& scene, const SubmitBatch& batch, const JobId& parent)
      : scene_(scene), batch_(batch), parent_(parent), members_(members_of(scene, batch)) {}

  // Works through the batch. `answer` is null in a trial. Gives the refusals by index.
  std::map<std::size_t, Refusals> run(const SubmitAnswer* answer) {
    std::map<std::size_t, Refusals> refusals;
    const std::vector<std::size_t> order = order_of(members_);
    for (const std::size_t index : order) {
      const Refusals found = place(index, answer);
      if (!found.empty()) refusals[index] = found;
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].placed) continue;
      refusals[i] =
          faults_of(*members_[i].spec, settings_of(scene_, members_[i].spec->queue), scene_.now);
      if (members_[i].names_unknown) refusals[i].push_back(Code::kUnknownDependency);
      refusals[i].push_back(waits_for_itself(members_, i) ? Code::kDependencyCycle
                                                          : Code::kUnknownDependency);
      if (answer != nullptr) expect_refused(i, refusals[i], *answer);
    }
    if (answer != nullptr) compare_answers(*answer);
    return refusals;
  }

  // Works through the children of a commit, all of which passed. `ids` are those that were made.
  void run_children(const std::vector<JobId>& ids) {
    std::size_t next = 0;
    for (const std::size_t index : order_of(members_)) {
      std::vector<ModelGroup> groups;
      const Refusals refusals = refusals_of(index, &groups);
      expect(refusals.empty(), "a commit made a child that should have been refused");
      if (!members_[index].id.is_nil()) continue;
      expect(next < ids.size(), "a child of the commit was not made");
      make(index, groups, ids[next++]);
    }
    expect_equal("children of the commit", next, ids.size());
  }

 private:
  // Answers show jobs as they are when all of the batch is made: one may have replaced another.
  void compare_answers(const SubmitAnswer& answer) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!answer.results[i].ok()) continue;
      const store::MadeJob& made = *answer.results[i];
      compare_facts(scene_.state.any(made.id), made.facts, name_of(i));
    }
  }

  // Whether a duplicate brings another payload than the job that answers for it.
  std::optional<bool> differs(std::size_t index, const store::MadeJob& made) const {
    if (!made.duplicate) return std::nullopt;
    const Submission& before = *scene_.state.any(made.id).spec;
    const Submission& now = *members_[index].spec;
    return before.payload != now.payload || before.content_type != now.content_type;
  }

  static std::string name_of(std::size_t index) { return "submission " + shown(index); }

  static void expect_refused(std::size_t index, const Refusals& allowed,
                             const SubmitAnswer& answer) {
    const auto& result = answer.results[index];
    const Error* error = result.ok() ? nullptr : &result.error();
    expect(refused(allowed, error, name_of(index)), "refusals cannot be empty");
  }

  Refusals refusals_of(std::size_t index, std::vector<ModelGroup>* groups) {
    Member& member = members_[index];
    const Submission& spec = *member.spec;
    Refusals refusals = faults_of(spec, settings_of(scene_, spec.queue), scene_.now);
    const bool on_refused = std::any_of(member.inside.begin(), member.inside.end(),
                                        [&](std::size_t at) { return members_[at].refused; });
    if (member.names_unknown || on_refused) refusals.push_back(Code::kUnknownDependency);
    if (!refusals.empty()) return refusals;
    *groups = groups_of(members_, batch_, index);
    std::map<JobId, int> known;
    if (depth_of(scene_.state, *groups, made_, known) > kMaxDepth) {
      refusals.push_back(Code::kDependencyTooDeep);
    }
    const ModelJob* duplicate = duplicate_of(scene_, spec);
    if (duplicate != nullptr) {
      member.id = duplicate->id;
      return refusals;
    }
    const ModelJob* holder = unique_holder(scene_, spec);
    if (holder != nullptr && spec.unique->on_conflict == OnConflict::kExisting) {
      member.id = holder->id;
      return refusals;
    }
    if (holder != nullptr && spec.unique->on_conflict == OnConflict::kReplace) {
      member.replaces = holder->id;
    }
    const bool runs = holder != nullptr && holder->state == JobState::kRunning;
    if (holder != nullptr && (!member.replaces || runs)) refusals.push_back(Code::kConflict);
    if (!refusals.empty()) return refusals;
    if (waits_for_siblings(*groups)) refusals.push_back(Code::kDependencyCycle);
    const Refusals limits = limits_against(scene_, spec, holder);
    refusals.insert(refusals.end(), limits.begin(), limits.end());
    return refusals;
  }

  // Whether a child waits, directly or through others, for a job that waits for all children of its
  // parent, and so for itself.
  bool waits_for_siblings(const std::vector<ModelGroup>& groups) const {
    if (parent_.is_nil()) return false;
    std::set<JobId> seen(made_.begin(), made_.end());
    std::vector<const ModelGroup*> open;
    open.reserve(groups.size());
    for (const ModelGroup& group : groups)
      open.push_back(&group);
    while (!open.empty()) {
      const ModelGroup& group = *open.back();
      open.pop_back();
      const bool fans_in = group.type == DependencyType::kFanIn;
      const bool meets =
          fans_in && std::find(group.jobs.begin(), group.jobs.end(), parent_) != group.jobs.end();
      if (meets) return true;
      for (const JobId& id : members_of(scene_.state, group)) {
        const ModelJob& job = scene_.state.any(id);
        const bool waits = job.state == JobState::kCreated || job.state == JobState::kPending;
        if (!waits || !seen.insert(id).second) continue;
        for (const ModelGroup& next : job.groups)
          open.push_back(&next);
      }
    }
    return false;
  }

  Refusals place(std::size_t index, const SubmitAnswer* answer) {
    Member& member = members_[index];
    std::vector<ModelGroup> groups;
    Refusals refusals = refusals_of(index, &groups);
    member.refused = !refusals.empty();
    if (member.refused) {
      member.id = {};
      if (answer != nullptr) expect_refused(index, refusals, *answer);
      return refusals;
    }
    const bool duplicate = !member.id.is_nil();
    if (answer == nullptr) {
      if (!duplicate) make(index, groups, invented_id());
      return {};
    }
    const auto& result = answer->results[index];
    refused({}, result.ok() ? nullptr : &result.error(), name_of(index));
    expect_equal(name_of(index) + " is a duplicate", duplicate, result->duplicate);
    if (duplicate) {
      expect_equal(name_of(index) + " is a duplicate of", member.id, result->id);
    } else {
      make(index, groups, result->id);
    }
    expect_equal(name_of(index) + " knows of another payload", differs(index, *result),
                 result->payload_differs);
    return {};
  }

  void make(std::size_t index, const std::vector<ModelGroup>& groups, const JobId& id) {
    Member& member = members_[index];
    MakeRequest request;
    request.spec = member.spec;
    request.groups = groups;
    request.priority = priority_of(scene_.state, *member.spec, groups);
    request.parent = parent_;
    if (member.replaces) replace(scene_.state.jobs.at(*member.replaces), id);
    member.id = id;
    made_.push_back(id);
    make_job(scene_, request, id);
  }

  void replace(ModelJob& holder, const JobId& by) {
    holder.cancel_reason = "replaced by " + to_string(by);
    end_badly(scene_, holder, JobState::kCancelled, Trigger::kCancel, Actor::kClient,
              {FailureCategory::kCancelled, {}});
  }

  JobId invented_id() {
    JobId id;
    const std::int64_t count = ++scene_.state.invented;
    for (std::size_t i = 0; i < 8; ++i)
      id.uuid.bytes[i] = static_cast<std::uint8_t>(count >> (8 * i));
    return id;
  }

  Scene& scene_;
  const SubmitBatch& batch_;
  JobId parent_;
  std::vector<Member> members_;
  std::vector<JobId> made_;
};

}  // namespace

std::map<std::size_t, Refusals> try_batch(const Scene& scene, const SubmitBatch& batch,
                                          const JobId& parent) {
  State copy = scene.state;
  Scene trial{copy, scene.seen, scene.now, true};
  return BatchCheck(trial, batch, parent).run(nullptr);
}

std::vector<JobId> make_children(Scene& scene, const std::vector<Spec>& specs,
                                 const JobId& parent) {
  const SubmitBatch batch{specs, true, false};
  const auto made = scene.seen.children_of(parent);
  BatchCheck check(scene, batch, parent);
  std::vector<JobId> ids;
  ids.reserve(made.size());
  for (const store::local::JobChange* change : made)
    ids.push_back(change->id);
  check.run_children(ids);
  return ids;
}

void bring_up_to_date(Scene& scene, const std::vector<Spec>& specs, const JobId& parent) {
  for (const Spec& spec : specs) {
    if (!faults_of(*spec, settings_of(scene, spec->queue), scene.now).empty()) continue;
    JobId before;
    while (const ModelJob* holder = duplicate_of(scene, *spec)) {
      if (holder->id == before || holder->id == parent) break;
      before = holder->id;
      fire_due(scene, scene.state.jobs.at(before));
    }
    const ModelJob* holder = unique_holder(scene, *spec);
    if (holder != nullptr && holder->id != parent) {
      fire_due(scene, scene.state.jobs.at(holder->id));
    }
  }
}

void check_submit(Scene& scene, const SubmitBatch& batch, const Answer& answer) {
  const bool size_is_wrong = batch.jobs.empty() || batch.jobs.size() > 1000;
  const Refusals whole = size_is_wrong ? Refusals{Code::kBadRequest} : Refusals{};
  if (refused(whole, error_of(answer), "the batch")) return;
  bring_up_to_date(scene, batch.jobs);
  const SubmitAnswer& submitted = answer_as<SubmitAnswer>(answer, "the batch");
  if (submitted.refused) {
    expect(batch.atomic, "only an atomic batch is refused as a whole");
    const auto refusals = try_batch(scene, batch);
    expect(!refusals.empty(), "a batch is refused that should be made: " +
                                  std::string(name(submitted.refused->error.code)));
    expect_equal("the first refused job", refusals.begin()->first, submitted.refused->index);
    refused(refusals.begin()->second, &submitted.refused->error, "the atomic batch");
    return;
  }
  expect_equal("results of the batch", batch.jobs.size(), submitted.results.size());
  BatchCheck(scene, batch, {}).run(&submitted);
  settle_dependents(scene);
}

}  // namespace baton::sim
