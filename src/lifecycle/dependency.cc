#include "lifecycle/dependency.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace baton::lifecycle {
namespace {

bool has_bad(const GroupCount& group) { return group.first_bad != JobState::kNone; }

Verdict bad_verdict(const GroupCount& group) {
  return Verdict::bad(group.first_bad, group.first_bad_job);
}

}  // namespace

void count_ending(GroupCount& group, JobState ending, const JobId& job) {
  BATON_ASSERT(is_terminal(ending));
  ++group.ended;
  if (!is_bad_ending(ending) || has_bad(group)) return;
  group.first_bad = ending;
  group.first_bad_job = job;
}

Verdict verdict_of(const GroupCount& group) {
  const bool all_ended = group.ended >= group.total;
  switch (group.type) {
    case DependencyType::kAfter:
      if (has_bad(group)) return bad_verdict(group);
      return all_ended ? Verdict::ready() : Verdict::waiting();
    case DependencyType::kAfterAny:
      return group.ended > 0 ? Verdict::ready() : Verdict::waiting();
    case DependencyType::kFanIn:
      if (!all_ended) return Verdict::waiting();
      if (has_bad(group) && !group.allow_failures) return bad_verdict(group);
      return Verdict::ready();
  }
  return Verdict::waiting();
}

Verdict verdict_of(std::span<const GroupCount> groups) {
  Verdict all = Verdict::ready();
  for (const GroupCount& group : groups) {
    const Verdict one = verdict_of(group);
    if (one.kind == Verdict::Kind::kBad) return one;
    if (one.kind == Verdict::Kind::kWaiting) all = one;
  }
  return all;
}

std::string bad_ending_text(const Verdict& verdict) {
  if (verdict.kind != Verdict::Kind::kBad) return {};
  const std::string ended = " ended " + std::string(name(verdict.ending));
  if (verdict.job.is_nil()) return "a job on which it depends" + ended;
  return "job " + to_string(verdict.job) + ", on which it depends," + ended;
}

JobState dependent_ending(const Profile& profile, JobState dependency_ending) {
  BATON_ASSERT(is_bad_ending(dependency_ending));
  const JobState wanted =
      dependency_ending == JobState::kRejected ? JobState::kFailed : dependency_ending;
  return profile.has(wanted) ? wanted : profile.policy.exhausted;
}

Priority inherited_priority(Priority own, Priority dependency) { return std::min(own, dependency); }

}  // namespace baton::lifecycle
