// What the pure core answers of decision 7, ids and keys, of decision 8, the generation key, and of
// decision 12, the settings of queues. How a store looks keys up and keeps queues is shown by its
// conformance suite.
#include "base/uuid.h"
#include "lifecycle/idempotency.h"
#include "lifecycle/testing.h"
#include "lifecycle/validate.h"

namespace baton::lifecycle::testbed {
namespace {

Submission of_type(std::string type) {
  Submission submission;
  submission.type = std::move(type);
  return submission;
}

QueueSettings queue_of(std::string_view profile) {
  QueueSettings queue;
  queue.profile = profile;
  return queue;
}

TEST(Decision07Ids, AreVersionFour) {
  base::Random random(7);
  for (int i = 0; i < 100; ++i) {
    const Uuid id = base::make_uuid(random);
    EXPECT_EQ(id.bytes[6] >> 4, 4);
    EXPECT_EQ(id.bytes[8] >> 6, 2);
  }
  EXPECT_NE(base::make_system_uuid(), base::make_system_uuid());
}

TEST(Decision07Ids, AKeyHasAtMost256Characters) {
  for (const auto& [length, ok] : {std::pair{1, true}, {256, true}, {257, false}}) {
    Submission submission = of_type("mail");
    submission.idempotency_key = std::string(static_cast<std::size_t>(length), 'k');
    EXPECT_EQ(accept(submission, QueueSettings{}).ok(), ok) << length;
  }
  Submission umlauts = of_type("mail");
  umlauts.idempotency_key = "";
  for (int i = 0; i < 256; ++i)
    *umlauts.idempotency_key += "\xC3\xBC";
  EXPECT_TRUE(accept(umlauts, QueueSettings{}).ok());
}

TEST(Decision07Ids, AKeyLivesForTheWindowOfTheSubmittingQueue) {
  Submission submission = of_type("mail");
  submission.idempotency_key = "k1";
  QueueSettings queue;
  EXPECT_EQ(queue.idempotency_window, hours(24));
  EXPECT_EQ(keys_of(submission, queue, kStart), (std::vector<KeyLookup>{{"k1", hours(24)}}));
  queue.idempotency_window = minutes(5);
  EXPECT_EQ(keys_of(submission, queue, kStart), (std::vector<KeyLookup>{{"k1", minutes(5)}}));
}

TEST(Decision07Ids, AKeyIsTheSameInEveryQueue) {
  Submission here = of_type("mail");
  here.idempotency_key = "k1";
  Submission there = here;
  there.queue = "other";
  EXPECT_EQ(keys_of(here, QueueSettings{}, kStart), keys_of(there, QueueSettings{}, kStart));
}

// The first minute of the test's time, from its beginning to its end.
constexpr Time kMinuteStart{kStart.ms - kStart.ms % 60'000};

std::vector<KeyLookup> made_keys(const Submission& submission, Time now) {
  return keys_of(submission, queue_of("generation"), now);
}

Submission click() {
  Submission submission = of_type("image");
  submission.account = "anna";
  submission.payload = R"({"prompt":"a cat","size":512})";
  return submission;
}

TEST(Decision08GenerationKey, IsTheSameWithinAMinute) {
  const auto first = made_keys(click(), kMinuteStart);
  const auto last = made_keys(click(), kMinuteStart + milliseconds(59'999));
  const auto next = made_keys(click(), kMinuteStart + minutes(1));
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first, last);
  EXPECT_NE(first[0].key, next[0].key);
}

TEST(Decision08GenerationKey, LooksAtTheMinuteBeforeForJobsYoungerThanSixtySeconds) {
  const auto before = made_keys(click(), kMinuteStart + milliseconds(-1));
  const auto after_edge = made_keys(click(), kMinuteStart);
  EXPECT_EQ(after_edge[1].key, before[0].key);
  EXPECT_EQ(after_edge[1].max_age, seconds(60));
  EXPECT_EQ(after_edge[0].max_age, hours(24));
}

TEST(Decision08GenerationKey, DependsOnTheAccountThePromptAndTheRestOfThePayload) {
  Submission other_account = click();
  other_account.account = "bert";
  Submission other_prompt = click();
  other_prompt.payload = R"({"prompt":"a dog","size":512})";
  Submission other_rest = click();
  other_rest.payload = R"({"prompt":"a cat","size":256})";
  for (const Submission& other : {other_account, other_prompt, other_rest})
    EXPECT_NE(made_keys(other, kMinuteStart)[0].key, made_keys(click(), kMinuteStart)[0].key);
}

TEST(Decision08GenerationKey, CanBeOptedOutOf) {
  Submission submission = click();
  submission.idempotency = Idempotency::kNone;
  EXPECT_TRUE(made_keys(submission, kMinuteStart).empty());
}

TEST(Decision08GenerationKey, IsMadeInOtherProfilesOnlyOnRequest) {
  for (std::string_view profile : {"standard", "document", "commit", "lease"}) {
    Submission submission = click();
    EXPECT_TRUE(keys_of(submission, queue_of(profile), kMinuteStart).empty()) << profile;
    submission.idempotency = Idempotency::kAuto;
    EXPECT_EQ(keys_of(submission, queue_of(profile), kMinuteStart),
              made_keys(click(), kMinuteStart))
        << profile;
  }
}

// A job that waits for its retry still counts; a rejected one too, so that nobody is blocked twice.
TEST(Decision08GenerationKey, IsFreedOnlyByAFailedDeadOrCancelledJob) {
  const Profile& generation = *find_profile("generation");
  for (std::size_t i = 1; i < kJobStateCount; ++i) {
    const auto state = static_cast<JobState>(i);
    const bool frees = state == JobState::kFailed || state == JobState::kDeadLetter ||
                       state == JobState::kCancelled;
    EXPECT_EQ(keeps_key(generation, state), !frees) << name(state);
    EXPECT_TRUE(keeps_key(*find_profile("standard"), state)) << name(state);
  }
}

TEST(Decision12Queues, SettingsMergeFromProfileQueueAndJob) {
  QueueSettings queue = queue_of("lease");
  queue.retry.max_attempts = 9;
  queue.timeouts.lease = seconds(40);
  queue.timeouts.lifetime = days(2);
  Submission submission = of_type("mail");
  submission.retry.initial = seconds(3);
  submission.timeouts.lifetime = days(1);
  submission.system_is = FailureIs::kTerminal;
  const auto terms = accept(submission, queue);
  ASSERT_TRUE(terms.ok());
  EXPECT_EQ(terms->profile->name, queue.profile);
  EXPECT_EQ(terms->retry.max_attempts, 9);              // the queue's
  EXPECT_EQ(terms->lease, seconds(40));                 // the queue's
  EXPECT_EQ(terms->retry.initial, seconds(3));          // the job's
  EXPECT_EQ(terms->lifetime, days(1));                  // the job's, over the queue's
  EXPECT_EQ(terms->retry.max, seconds(30));             // the profile's
  EXPECT_EQ(terms->execution, minutes(5));              // the profile's
  EXPECT_EQ(terms->timeout_is, FailureIs::kTemporary);  // nobody's
  EXPECT_EQ(terms->system_is, FailureIs::kTerminal);    // the job's
}

TEST(Decision12Queues, TheExecutionTimeoutIsRefusedAboveTheQueuesAndNeverClamped) {
  QueueSettings queue;
  queue.timeouts.execution = minutes(10);
  for (const auto& [ms, ok] : {std::pair{600'000, true}, {600'001, false}}) {
    Submission submission = of_type("mail");
    submission.timeouts.execution = milliseconds(ms);
    const auto terms = accept(submission, queue);
    ASSERT_EQ(terms.ok(), ok) << ms;
    if (!terms.ok()) {
      EXPECT_EQ(terms.error().code, Code::kInvalidJob);
      continue;
    }
    EXPECT_EQ(terms->execution.ms, ms);
  }
}

// Terms are fixed at submission: a queue that changes later does not change the jobs it holds.
TEST(Decision12Queues, AJobKeepsTheTermsItWasSubmittedUnder) {
  QueueSettings queue;
  const Terms before = accept(of_type("mail"), queue).value();
  Life life(before);
  life.create();
  queue.timeouts.lease = seconds(1);
  life.claim();
  EXPECT_EQ(life.job.execution.lease, minutes(5));
  EXPECT_EQ(accept(of_type("mail"), queue)->lease, seconds(1));
}

}  // namespace
}  // namespace baton::lifecycle::testbed
