#include "lifecycle/idempotency.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace baton::lifecycle {
namespace {

constexpr Time kNow{1'700'000'012'345};  // in minute 28,333,333

Submission submission() {
  Submission made;
  made.type = "image";
  made.account = "anna";
  made.payload = R"({"prompt":"x"})";
  return made;
}

QueueSettings queue(std::string_view profile) {
  QueueSettings made;
  made.profile = profile;
  return made;
}

std::vector<KeyLookup> generated(const Submission& submission, Time now = kNow) {
  return keys_of(submission, queue("generation"), now);
}

TEST(Idempotency, AGivenKeyLivesForTheQueuesWindow) {
  Submission given = submission();
  given.idempotency_key = "k1";
  QueueSettings standard = queue("standard");
  EXPECT_EQ(keys_of(given, standard, kNow), (std::vector<KeyLookup>{{"k1", base::hours(24)}}));
  standard.idempotency_window = base::seconds(3);
  EXPECT_EQ(keys_of(given, standard, kNow), (std::vector<KeyLookup>{{"k1", base::seconds(3)}}));
  EXPECT_EQ(generated(given), (std::vector<KeyLookup>{{"k1", base::hours(24)}}));
}

TEST(Idempotency, WithoutAKeyEveryJobIsItsOwn) {
  for (const std::string_view profile : {"standard", "document", "commit", "lease"})
    EXPECT_TRUE(keys_of(submission(), queue(profile), kNow).empty()) << profile;
}

TEST(Idempotency, GenerationMakesAKeyAndAlsoLooksAtTheMinuteBefore) {
  EXPECT_EQ(generated(submission()),
            (std::vector<KeyLookup>{
                {"auto:9e2507cb0cb6c3fff1499b54cdd57f81518b2adf62387c401c679ee6ff83ff90",
                 base::hours(24)},
                {"auto:e160f904d585c88776b475143d0b4b38f9581c9902efdd8b2aea873073cf796d",
                 base::minutes(1)},
            }));
}

TEST(Idempotency, EveryProfileCanAskForAMadeKeyOrGoWithout) {
  Submission asks = submission();
  asks.idempotency = Idempotency::kAuto;
  EXPECT_EQ(keys_of(asks, queue("standard"), kNow), generated(submission()));
  EXPECT_EQ(generated(asks), generated(submission()));
  asks.idempotency = Idempotency::kNone;
  EXPECT_TRUE(keys_of(asks, queue("standard"), kNow).empty());
  EXPECT_TRUE(generated(asks).empty());
  asks.idempotency = static_cast<Idempotency>(99);
  EXPECT_TRUE(generated(asks).empty());
}

TEST(Idempotency, TwoClicksAcrossAMinutesEdgeMeet) {
  const Time edge{28'333'334LL * 60'000};
  const auto before = generated(submission(), Time{edge.ms - 1});
  const auto after = generated(submission(), edge);
  EXPECT_EQ(generated(submission()), before);
  EXPECT_NE(before[0].key, after[0].key);
  EXPECT_EQ(before[0].key, after[1].key);
  EXPECT_EQ(generated(submission(), Time{edge.ms + 59'999})[0].key, after[0].key);
  EXPECT_NE(generated(submission(), Time{edge.ms + 60'000})[0].key, after[0].key);
}

TEST(Idempotency, AnotherAccountOrPayloadIsAnotherKey) {
  std::set<std::string> keys = {generated(submission())[0].key};
  Submission other = submission();
  other.account = "bert";
  keys.insert(generated(other)[0].key);
  other = submission();
  other.payload = R"({"prompt":"y"})";
  keys.insert(generated(other)[0].key);
  // The parts do not run into each other.
  other = submission();
  other.account = "anna:28333333:{";
  other.payload = R"("prompt":"x"})";
  keys.insert(generated(other)[0].key);
  other = submission();
  other.account = "";
  keys.insert(generated(other)[0].key);
  EXPECT_EQ(keys.size(), 5U);
}

TEST(Idempotency, TheSettingsThatAreNotPartOfTheWorkDoNotMatter) {
  Submission same = submission();
  same.priority = Priority::kHigh;
  same.correlation_id = "c";
  same.cost = 4;
  EXPECT_EQ(generated(same), generated(submission()));
}

TEST(Idempotency, OnlyGenerationFreesTheKeyOfAFailedJob) {
  using enum JobState;
  for (const Profile* profile : all_profiles()) {
    const bool frees = profile->name == "generation";
    for (const JobState state :
         {kCreated, kPending, kDelayed, kScheduled, kRunning, kRetrying, kCompleted, kRejected}) {
      EXPECT_TRUE(keeps_key(*profile, state)) << profile->name << " " << name(state);
    }
    for (const JobState state : {kFailed, kDeadLetter, kCancelled})
      EXPECT_EQ(keeps_key(*profile, state), !frees) << profile->name << " " << name(state);
  }
}

}  // namespace
}  // namespace baton::lifecycle
