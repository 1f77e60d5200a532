// When a job that waits for others may go on, and how it ends when they end badly. Counting is the
// store's; the rules are here. A group is one entry of `depends_on`; a job waits until every group
// is satisfied, and the first bad one decides. CHAIN is made of AFTER, FAN_OUT is a spawn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "baton/ids.h"
#include "lifecycle/profile.h"
#include "lifecycle/states.h"

namespace baton::lifecycle {

// What dependencies say: wait, go on, or end in a state.
struct Verdict {
  enum class Kind : std::uint8_t { kWaiting, kReady, kBad };
  Kind kind = Kind::kWaiting;
  JobState ending = JobState::kNone;  // kBad: how the dependency ended
  JobId job = {};                     // kBad: which one it was, if that is known
  std::string_view because = {};      // kBad: the same in words; borrowed

  static Verdict waiting() { return {Kind::kWaiting, JobState::kNone}; }
  static Verdict ready() { return {Kind::kReady, JobState::kNone}; }
  static Verdict bad(JobState ending, const JobId& job = {}) { return {Kind::kBad, ending, job}; }
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// How far the jobs of one group are.
struct GroupCount {
  DependencyType type = DependencyType::kAfter;
  bool allow_failures = false;  // kFanIn only
  std::int32_t total = 0;       // jobs waited for; FAN_IN counts children too
  std::int32_t ended = 0;
  JobState first_bad = JobState::kNone;  // the first ending that was not COMPLETED
  JobId first_bad_job = {};              // whose it was; nil also in what older versions stored

  friend bool operator==(const GroupCount&, const GroupCount&) = default;
};

// One more job of the group ended.
void count_ending(GroupCount& group, JobState ending, const JobId& job = {});

Verdict verdict_of(const GroupCount& group);

// All groups together: the first bad group decides, else any that waits.
Verdict verdict_of(std::span<const GroupCount> groups);

// A bad verdict in words; empty for another.
std::string bad_ending_text(const Verdict& verdict);

// The state in which a dependent of this profile ends when its dependency ended so.
JobState dependent_ending(const Profile& profile, JobState dependency_ending);

// The higher of the two.
Priority inherited_priority(Priority own, Priority dependency);

}  // namespace baton::lifecycle
