// The vocabularies and policies of the five profiles, written a second time, by hand.
#include "lifecycle/profile.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace baton::lifecycle {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 3'600'000;
constexpr std::int64_t kDay = 86'400'000;

struct WordRow {
  JobState state;
  std::string_view standard, document, commit, generation, lease;
};

constexpr WordRow kWords[] = {
    {JobState::kNone, "", "", "", "", ""},
    {JobState::kCreated, "", "CREATED", "", "", ""},
    {JobState::kPending, "PENDING", "QUEUED", "PENDING", "queued", "Ready"},
    {JobState::kDelayed, "DELAYED", "QUEUED", "PENDING", "queued", "Ready"},
    {JobState::kScheduled, "SCHEDULED", "QUEUED", "PENDING", "queued", "Ready"},
    {JobState::kRunning, "RUNNING", "RUNNING", "RUNNING", "running", "InFlight"},
    {JobState::kRetrying, "RETRYING", "RETRYING", "PENDING", "failed", "Ready"},
    {JobState::kCompleted, "COMPLETED", "SUCCEEDED", "SUCCEEDED", "completed", "Succeeded"},
    {JobState::kFailed, "FAILED", "FAILED", "FAILED", "", "Failed"},
    {JobState::kDeadLetter, "DEAD_LETTER", "", "", "dead_letter", ""},
    {JobState::kCancelled, "CANCELLED", "FAILED", "FAILED", "cancelled", "Failed"},
    {JobState::kRejected, "", "", "", "rejected", ""},
};

void expect_word(std::string_view profile_name, JobState state, std::string_view word) {
  const Profile* profile = find_profile(profile_name);
  ASSERT_NE(profile, nullptr) << profile_name;
  EXPECT_EQ(profile->word(state), word) << profile_name << ' ' << name(state);
  EXPECT_EQ(profile->has(state), !word.empty()) << profile_name << ' ' << name(state);
}

TEST(Vocabulary, IsEachProfilesOwn) {
  ASSERT_EQ(std::size(kWords), kJobStateCount);
  for (const WordRow& row : kWords) {
    expect_word("standard", row.state, row.standard);
    expect_word("document", row.state, row.document);
    expect_word("commit", row.state, row.commit);
    expect_word("generation", row.state, row.generation);
    expect_word("lease", row.state, row.lease);
  }
}

// Times in milliseconds.
struct PolicyRow {
  std::string_view profile;
  int runs;
  JobState exhausted;
  JobState permanent;
  Strategy strategy;
  std::int64_t initial;
  double multiplier;
  std::int64_t cap;
  Jitter jitter;
  std::int64_t lost_lease_wait;
  int free_releases;
  std::int64_t lease;
  std::int64_t execution;
  std::int64_t lifetime;
  int max_retries;
};

constexpr PolicyRow kPolicies[] = {
    {"standard", 3, JobState::kDeadLetter, JobState::kFailed, Strategy::kExponential, 1 * kSecond,
     2.0, 1 * kHour, Jitter::kNone, 0, 100, 5 * kMinute, 30 * kMinute, 7 * kDay, 2},
    {"document", 4, JobState::kFailed, JobState::kFailed, Strategy::kConstant, 1 * kSecond, 2.0,
     1 * kSecond, Jitter::kNone, 1 * kSecond, 100, 30 * kSecond, 30 * kMinute, 7 * kDay, 3},
    {"commit", 4, JobState::kFailed, JobState::kFailed, Strategy::kConstant, 0, 2.0, 1 * kHour,
     Jitter::kNone, 0, 100, 30 * kSecond, 30 * kMinute, 7 * kDay, 3},
    {"generation", 3, JobState::kDeadLetter, JobState::kDeadLetter, Strategy::kExponential,
     2 * kSecond, 2.0, 30 * kSecond, Jitter::kNone, 0, 100, 30 * kSecond, 5 * kMinute, 7 * kDay, 3},
    {"lease", 4, JobState::kFailed, JobState::kFailed, Strategy::kExponential, 500, 2.0,
     30 * kSecond, Jitter::kFull, 0, 0, 5 * kSecond, 5 * kMinute, 7 * kDay, 3},
};

TEST(Policy, SaysWhereFailuresLead) {
  ASSERT_EQ(std::size(kPolicies), all_profiles().size());
  for (const PolicyRow& row : kPolicies) {
    const Policy& policy = find_profile(row.profile)->policy;
    EXPECT_EQ(policy.exhausted, row.exhausted) << row.profile;
    EXPECT_EQ(policy.permanent, row.permanent) << row.profile;
  }
}

TEST(Policy, SaysHowOftenAndHowLongAfterAJobIsRetried) {
  for (const PolicyRow& row : kPolicies) {
    const Policy& policy = find_profile(row.profile)->policy;
    EXPECT_EQ(policy.retry.max_attempts, row.runs) << row.profile;
    EXPECT_EQ(policy.retry.strategy, row.strategy) << row.profile;
    EXPECT_EQ(policy.retry.initial.ms, row.initial) << row.profile;
    EXPECT_EQ(policy.retry.multiplier, row.multiplier) << row.profile;
    EXPECT_EQ(policy.retry.max.ms, row.cap) << row.profile;
    EXPECT_EQ(policy.retry.jitter, row.jitter) << row.profile;
    EXPECT_TRUE(policy.retry.table.empty()) << row.profile;
    EXPECT_TRUE(policy.retry.function_name.empty()) << row.profile;
    EXPECT_EQ(policy.retry.function, nullptr) << row.profile;
    EXPECT_EQ(policy.lost_lease_wait.ms, row.lost_lease_wait) << row.profile;
    EXPECT_EQ(policy.free_releases, row.free_releases) << row.profile;
  }
}

TEST(Policy, SaysHowLongThingsMayTake) {
  for (const PolicyRow& row : kPolicies) {
    const Policy& policy = find_profile(row.profile)->policy;
    EXPECT_EQ(policy.lease.ms, row.lease) << row.profile;
    EXPECT_EQ(policy.execution.ms, row.execution) << row.profile;
    EXPECT_EQ(policy.lifetime.ms, row.lifetime) << row.profile;
  }
}

struct SwitchRow {
  std::string_view profile;
  bool retry_pinned;
  bool last_failure_retries;
  KeyDefault key_default;
  bool failed_frees_key;
  bool quota;
};

constexpr SwitchRow kSwitches[] = {
    {"standard", false, false, KeyDefault::kNone, false, false},
    {"document", true, false, KeyDefault::kNone, false, false},
    {"commit", false, false, KeyDefault::kNone, false, false},
    {"generation", false, true, KeyDefault::kAuto, true, true},
    {"lease", false, false, KeyDefault::kNone, false, false},
};

TEST(Policy, SwitchesOnWhatEachProfileNeeds) {
  ASSERT_EQ(std::size(kSwitches), all_profiles().size());
  for (const SwitchRow& row : kSwitches) {
    const Policy& policy = find_profile(row.profile)->policy;
    EXPECT_EQ(policy.retry_pinned, row.retry_pinned) << row.profile;
    EXPECT_EQ(policy.last_failure_retries, row.last_failure_retries) << row.profile;
    EXPECT_EQ(policy.key_default, row.key_default) << row.profile;
    EXPECT_EQ(policy.failed_frees_key, row.failed_frees_key) << row.profile;
    EXPECT_EQ(policy.quota, row.quota) << row.profile;
  }
}

TEST(Policy, CountsRetriesAsItsContractDoes) {
  for (const PolicyRow& row : kPolicies) {
    const Profile& profile = *find_profile(row.profile);
    EXPECT_EQ(profile.max_retries(profile.policy.retry.max_attempts), row.max_retries)
        << row.profile;
  }
  EXPECT_EQ(find_profile("standard")->max_retries(1), 0);
  EXPECT_EQ(find_profile("generation")->max_retries(1), 1);
  EXPECT_EQ(find_profile("standard")->max_retries(100), 99);
}

// A profile can end a job only in a state that it has a word for.
TEST(Policy, LeadsOnlyToStatesOfTheProfile) {
  for (const Profile* profile : all_profiles()) {
    EXPECT_TRUE(profile->has(profile->policy.exhausted)) << profile->name;
    EXPECT_TRUE(profile->has(profile->policy.permanent)) << profile->name;
    EXPECT_TRUE(is_bad_ending(profile->policy.exhausted)) << profile->name;
    EXPECT_TRUE(is_bad_ending(profile->policy.permanent)) << profile->name;
  }
}

TEST(Profiles, AreListedWithTheDefaultFirst) {
  std::vector<std::string_view> listed;
  for (const Profile* profile : all_profiles())
    listed.push_back(profile->name);
  EXPECT_EQ(listed, (std::vector<std::string_view>{"standard", "document", "commit", "generation",
                                                   "lease"}));
  EXPECT_EQ(&default_profile(), find_profile("standard"));
}

TEST(Profiles, AreFoundByTheirExactName) {
  for (const Profile* profile : all_profiles())
    EXPECT_EQ(find_profile(profile->name), profile);
  for (std::string_view unknown : {"", "Standard", "standard ", "leas", "generations"})
    EXPECT_EQ(find_profile(unknown), nullptr) << unknown;
}

}  // namespace
}  // namespace baton::lifecycle
