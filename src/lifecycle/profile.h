// A profile is data: how the canonical states are called (vocabulary) and where failures lead
// (policy). The five tables are in profiles/, one file each. Nothing outside them may ask which
// profile it has before it; it asks the policy. Profiles live as long as the program.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "baton/queue.h"
#include "lifecycle/retry.h"
#include "lifecycle/states.h"

namespace baton::lifecycle {

// In the order of JobState. An empty word: the profile never reaches that state.
using Vocabulary = std::array<std::string_view, kJobStateCount>;

// What happens when a submission brings no idempotency key.
enum class KeyDefault : std::uint8_t { kNone = 0, kAuto = 1 };

struct Policy {
  JobState exhausted;        // where a job ends when no attempt remains
  JobState permanent;        // where a permanent failure leads
  RetryPolicy retry;         // attempts and backoff
  Duration lost_lease_wait;  // how long a job waits after a lost lease
  int free_releases;         // so many releases of a job spend no attempt
  Duration lease;
  Duration execution;         // execution timeout
  Duration lifetime;          // from creation to a terminal state, at most
  bool retry_pinned;          // retry settings and a worker's retry_after are refused
  bool last_failure_retries;  // every failure enters RETRYING first, the last one too
  KeyDefault key_default;
  bool failed_frees_key;  // a job that ended FAILED, DEAD_LETTER or CANCELLED frees its key
  bool quota;             // accounts have a quota of jobs
};

struct Profile {
  std::string_view name;
  std::string_view summary;  // what it stands for, in a line
  Vocabulary words;
  Policy policy;

  // Whether a job of this profile can be in that state.
  bool has(JobState state) const { return !word(state).empty(); }
  // The profile's own word for a state it has; empty otherwise.
  std::string_view word(JobState state) const { return words[static_cast<std::size_t>(state)]; }
  // `retry_count` of a job that used all its attempts: what `max_retries` shows.
  int max_retries(int max_attempts) const {
    return policy.last_failure_retries ? max_attempts : max_attempts - 1;
  }
};

// All profiles; the first is the default one.
std::span<const Profile* const> all_profiles();

const Profile& default_profile();

// nullptr when no profile has that name.
const Profile* find_profile(std::string_view name);

// The profile that a queue's settings name; there must be one.
const Profile& profile_of(const QueueSettings& queue);

}  // namespace baton::lifecycle

template <>
inline constexpr std::array<std::string_view, 2> baton::kNames<baton::lifecycle::KeyDefault> = {
    "none", "auto"};
