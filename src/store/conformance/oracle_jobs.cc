// What the records of a store must be together: states that follow from executions and
// dependencies, and parents that know their children.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "lifecycle/derive.h"
#include "store/conformance/oracle.h"

namespace baton::store::conformance {
namespace {

using lifecycle::GroupCount;
using lifecycle::Verdict;

using ById = std::unordered_map<JobId, const JobRecord*>;

ById by_id(const Snapshot& snapshot) {
  ById all;
  for (const auto& record : snapshot.jobs)
    all[record->id] = record.get();
  return all;
}

// The jobs that one entry of depends_on waits for; nullopt when one of them was deleted.
std::optional<std::vector<const JobRecord*>> waited_for(const Dependency& spec, const ById& all) {
  std::vector<const JobRecord*> jobs;
  for (const std::string& text : spec.jobs) {
    const auto id = parse_job_id(text);
    EXPECT_TRUE(id) << "a stored dependency is an id: " << text;
    const auto found = id ? all.find(*id) : all.end();
    if (found == all.end()) return std::nullopt;
    jobs.push_back(found->second);
    if (spec.type != DependencyType::kFanIn) continue;
    for (const JobId& child : found->second->children) {
      const auto record = all.find(child);
      if (record == all.end()) return std::nullopt;
      // Which copy counts depends on when it was made.
      if (!record->second->redriven_to.is_nil()) return std::nullopt;
      jobs.push_back(record->second);
    }
  }
  return jobs;
}

struct Judgement {
  Verdict verdict;
  std::vector<JobState> bad_endings;  // of anything it waited for
};

// A copy of a job whose dependencies were met waits for nobody.
bool may_have_met_dependencies(const JobRecord& record, const ById& all) {
  if (record.redriven_from.is_nil()) return false;
  const auto origin = all.find(record.redriven_from);
  return origin == all.end() || has_left_pending(*origin->second);
}

std::optional<Judgement> judge_dependencies(const JobRecord& record, const ById& all) {
  if (may_have_met_dependencies(record, all)) return std::nullopt;
  Judgement judgement;
  std::vector<GroupCount> groups;
  for (const Dependency& spec : record.spec->depends_on) {
    const auto jobs = waited_for(spec, all);
    if (!jobs) return std::nullopt;
    GroupCount& group = groups.emplace_back();
    group.type = spec.type;
    group.allow_failures = spec.allow_failures;
    group.total = static_cast<std::int32_t>(jobs->size());
    for (const JobRecord* job : *jobs) {
      if (!is_terminal(job->facts.state)) continue;
      lifecycle::count_ending(group, job->facts.state);
      if (is_bad_ending(job->facts.state)) judgement.bad_endings.push_back(job->facts.state);
    }
  }
  judgement.verdict = lifecycle::verdict_of(groups);
  return judgement;
}

bool has_trigger(const JobRecord& record, Trigger trigger) {
  return std::any_of(record.history.begin(), record.history.end(),
                     [&](const HistoryEntry& entry) { return entry.trigger == trigger; });
}

bool left_pending_well(const JobRecord& record) {
  return has_trigger(record, Trigger::kReady) || has_trigger(record, Trigger::kDelay);
}

// The verdict as the job's own history has it, for when a dependency is no longer there to ask.
Verdict verdict_in_history(const JobRecord& record) {
  if (has_trigger(record, Trigger::kDependency)) return Verdict::bad(record.facts.state);
  return left_pending_well(record) ? Verdict::ready() : Verdict::waiting();
}

void check_verdict(const JobRecord& record, const Judgement& judgement) {
  const Verdict::Kind kind = judgement.verdict.kind;
  if (record.facts.state == JobState::kPending) {
    EXPECT_EQ(kind, Verdict::Kind::kWaiting) << "PENDING is waiting for dependencies";
  }
  if (left_pending_well(record)) {
    EXPECT_EQ(kind, Verdict::Kind::kReady) << "it went on before its dependencies allowed it";
  }
  if (!has_trigger(record, Trigger::kDependency)) return;
  EXPECT_EQ(kind, Verdict::Kind::kBad) << "it ended for its dependencies, which are well";
  const lifecycle::Profile& profile = *record.facts.terms->profile;
  EXPECT_TRUE(std::any_of(judgement.bad_endings.begin(), judgement.bad_endings.end(),
                          [&](JobState ending) {
                            return lifecycle::dependent_ending(profile, ending) ==
                                   record.facts.state;
                          }))
      << "no dependency ended so";
}

void check_derived(const JobRecord& record, const Verdict& verdict) {
  std::vector<lifecycle::ExecutionEvidence> executions;
  for (const ExecutionRecord& execution : record.executions) {
    lifecycle::ExecutionEvidence facts;
    facts.status = execution.facts.status;
    if (execution.failure) {
      facts.category = execution.failure->category;
      facts.code = execution.failure->code;
    }
    executions.push_back(facts);
  }
  lifecycle::JobEvidence facts;
  facts.terms = record.facts.terms.get();
  facts.submitted = has_trigger(record, Trigger::kSubmit) ||
                    !record.facts.terms->profile->has(JobState::kCreated);
  facts.dependencies = verdict;
  facts.waits = record.facts.run_at.is_set();
  facts.cancelled = has_trigger(record, Trigger::kCancel);
  facts.rejected = has_trigger(record, Trigger::kReject);
  facts.expired = has_trigger(record, Trigger::kLifetime);
  EXPECT_EQ(name(lifecycle::derive(executions, facts)), name(record.facts.state))
      << "the state does not follow from the executions: " << describe(record);
}

}  // namespace

void check_dependencies(const Snapshot& snapshot) {
  const ById all = by_id(snapshot);
  for (const auto& record : snapshot.jobs) {
    const auto judgement = judge_dependencies(*record, all);
    if (judgement) {
      SCOPED_TRACE(describe(*record));
      check_verdict(*record, *judgement);
    }
    // A bad verdict names the ending that decided; only the job's history knows which it was.
    const bool asked = judgement && judgement->verdict.kind != Verdict::Kind::kBad;
    check_derived(*record, asked ? judgement->verdict : verdict_in_history(*record));
  }
}

void check_family(const Snapshot& snapshot) {
  const ById all = by_id(snapshot);
  for (const auto& record : snapshot.jobs) {
    SCOPED_TRACE(describe(*record));
    for (const JobId& child : record->children) {
      const auto found = all.find(child);
      if (found != all.end()) {
        EXPECT_EQ(found->second->parent, record->id);
      }
    }
    if (!record->children.empty()) {
      EXPECT_TRUE(lifecycle::is_committed(record->facts)) << "children without a commit";
    }
    if (record->parent.is_nil()) continue;
    const auto parent = all.find(record->parent);
    if (parent == all.end()) continue;
    const auto& siblings = parent->second->children;
    const bool is_copy = !record->redriven_from.is_nil();
    EXPECT_EQ(std::count(siblings.begin(), siblings.end(), record->id), is_copy ? 0 : 1)
        << "a parent names each child once, and no copies";
  }
}

}  // namespace baton::store::conformance
