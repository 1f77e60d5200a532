// Idempotency keys: one job for one key, per type, for as long as the window lasts.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

#define EXPECT_DUPLICATE_OF(expected, spec)                \
  do {                                                     \
    const JobId existing = expected;                       \
    const auto again = submit(spec);                       \
    ASSERT_EQ(code_of(again), "ok");                       \
    EXPECT_TRUE(again->duplicate) << "a new job was made"; \
    EXPECT_EQ(again->id, existing);                        \
  } while (false)

#define EXPECT_NEW_JOB(spec)                                   \
  do {                                                         \
    const auto fresh = submit(spec);                           \
    ASSERT_EQ(code_of(fresh), "ok");                           \
    EXPECT_FALSE(fresh->duplicate) << "an older job answered"; \
  } while (false)

TEST_P(Idempotency, TheSameKeyGivesTheExistingJob) {
  const JobId id = make(Spec().key("k").payload("first"));
  EXPECT_DUPLICATE_OF(id, Spec().key("k").payload("second"));
  EXPECT_EQ(get(id)->spec->payload, "first");
  EXPECT_EQ(list_ids({}).size(), 1u);
}

TEST_P(Idempotency, ADuplicateSaysWhetherItsPayloadDiffers) {
  const auto differs = [&](const Spec& spec) { return submit(spec)->payload_differs; };
  EXPECT_EQ(differs(Spec().key("k").payload("1")), std::nullopt);
  EXPECT_EQ(differs(Spec().key("k").payload("1")), std::optional(false));
  EXPECT_EQ(differs(Spec().key("k").payload("2")), std::optional(true));
  EXPECT_EQ(differs(Spec().key("k").payload("1").content_type("text/plain")), std::optional(true));
  complete(submit(Spec().key("k"))->id);
  EXPECT_EQ(differs(Spec().key("k").payload("1")), std::optional(false));
  restart_if_possible();
  EXPECT_EQ(differs(Spec().key("k").payload("1")), std::optional(false));
  EXPECT_EQ(differs(Spec().key("k").payload("2")), std::optional(true));
}

TEST_P(Idempotency, DuplicatesWithinABatchComparePayloadsToo) {
  const auto batch = submit_batch(
      {Spec().key("k").payload("1"), Spec().key("k").payload("1"), Spec().key("k").payload("2")});
  ASSERT_EQ(code_of(batch), "ok");
  EXPECT_EQ(batch->results[0]->payload_differs, std::nullopt);
  EXPECT_EQ(batch->results[1]->payload_differs, std::optional(false));
  EXPECT_EQ(batch->results[2]->payload_differs, std::optional(true));
}

TEST_P(Idempotency, ADuplicateShowsTheJobAsItIsNow) {
  const JobId id = make(Spec().key("k"));
  const ClaimedJob claimed = claim_one();
  auto again = submit(Spec().key("k"));
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_EQ(again->facts.state, JobState::kRunning);
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  again = submit(Spec().key("k"));
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_EQ(again->id, id);
  EXPECT_EQ(again->facts.state, JobState::kCompleted);
}

TEST_P(Idempotency, WithoutAKeyEverySubmissionIsAJob) {
  make(Spec().payload("same"));
  EXPECT_NEW_JOB(Spec().payload("same"));
}

TEST_P(Idempotency, AKeyBelongsToAType) {
  make(Spec("a").key("k"));
  EXPECT_NEW_JOB(Spec("b").key("k"));
}

TEST_P(Idempotency, AKeyHoldsAcrossQueues) {
  const JobId id = make(Spec().queue("one").key("k"));
  EXPECT_DUPLICATE_OF(id, Spec().queue("two").key("k"));
}

TEST_P(Idempotency, KeysAreComparedAsTheyAre) {
  make(Spec().key("Key"));
  EXPECT_NEW_JOB(Spec().key("key"));
  EXPECT_NEW_JOB(Spec().key("Key "));
}

TEST_P(Idempotency, TypeAndKeyDoNotRunIntoEachOther) {
  make(Spec("ab").key("c"));
  EXPECT_NEW_JOB(Spec("a").key("bc"));
  EXPECT_NEW_JOB(Spec("a").key(":c"));
}

TEST_P(Idempotency, TheWindowEndsExactlyADayAfterCreation) {
  const JobId id = completed(Spec().key("k"));
  advance(hours(24) + milliseconds(-1));
  EXPECT_DUPLICATE_OF(id, Spec().key("k"));
  advance(milliseconds(1));
  EXPECT_NEW_JOB(Spec().key("k"));
}

TEST_P(Idempotency, ADuplicateDoesNotLengthenTheWindow) {
  const JobId id = make(Spec().key("k").lifetime(days(3)));
  advance(hours(23));
  EXPECT_DUPLICATE_OF(id, Spec().key("k"));
  advance(hours(1));
  EXPECT_NEW_JOB(Spec().key("k"));
}

TEST_P(Idempotency, TheWindowIsCountedFromCreationNotFromTheEnd) {
  const JobId id = make(Spec().key("k"));
  advance(hours(20));
  complete(id);
  advance(hours(4));
  EXPECT_NEW_JOB(Spec().key("k"));
}

TEST_P(Idempotency, AWindowIsTheSubmittingQueues) {
  QueueUpdate update = update_of("short");
  update.idempotency_window = minutes(10);
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const JobId id = make(Spec().queue("short").key("k"));
  advance(minutes(10) + milliseconds(-1));
  EXPECT_DUPLICATE_OF(id, Spec().queue("short").key("k"));
  advance(milliseconds(1));
  EXPECT_NEW_JOB(Spec().queue("short").key("k"));
}

TEST_P(Idempotency, AJobThatTookOverAKeyAnswersForIt) {
  make(Spec().key("k"));
  advance(hours(24));
  const JobId second = make(Spec().key("k"));
  advance(hours(23));
  EXPECT_DUPLICATE_OF(second, Spec().key("k"));
}

TEST_P(Idempotency, TheRecordOutlivesItsKey) {
  const JobId id = completed(Spec().key("k"));
  advance(hours(24));
  EXPECT_NEW_JOB(Spec().key("k"));
  EXPECT_EQ(state_of(id), "COMPLETED");
  EXPECT_EQ(get(id)->spec->idempotency_key, "k");
}

TEST_P(Idempotency, InMostProfilesAnEndedJobKeepsItsKeyHoweverItEnded) {
  for (const char* profile : {"standard", "document", "commit", "lease"}) {
    SCOPED_TRACE(profile);
    const std::string queue = use_profile(profile);
    const Spec good = Spec(std::string(profile) + "/good").queue(queue).key("k");
    const Spec bad = Spec(std::string(profile) + "/bad").queue(queue).key("k");
    const Spec gone = Spec(std::string(profile) + "/gone").queue(queue).key("k");
    EXPECT_DUPLICATE_OF(completed(good), good);
    EXPECT_DUPLICATE_OF(failed(bad), bad);
    EXPECT_DUPLICATE_OF(cancelled(gone), gone);
  }
}

TEST_P(Idempotency, InGenerationABadEndingFreesTheKey) {
  const std::string queue = use_profile("generation");
  const auto spec = [&](const char* type) { return Spec(type).queue(queue).key("k"); };
  failed(spec("permanent"));
  EXPECT_NEW_JOB(spec("permanent"));
  const JobId exhausted = make(spec("exhausted").attempts(1));
  ASSERT_EQ(code_of(nack(claim_job(exhausted))), "ok");
  EXPECT_NEW_JOB(spec("exhausted"));
  cancelled(spec("cancelled"));
  EXPECT_NEW_JOB(spec("cancelled"));
}

TEST_P(Idempotency, InGenerationARejectedOrCompletedJobKeepsItsKey) {
  const std::string queue = use_profile("generation");
  const auto spec = [&](const char* type) { return Spec(type).queue(queue).key("k"); };
  EXPECT_DUPLICATE_OF(completed(spec("completed")), spec("completed"));
  const JobId rejected = make(spec("rejected"));
  ASSERT_EQ(code_of(reject_job(rejected)), "ok");
  EXPECT_DUPLICATE_OF(rejected, spec("rejected"));
}

TEST_P(Idempotency, InGenerationAJobThatWaitsForItsRetryKeepsItsKey) {
  const std::string queue = use_profile("generation");
  const ClaimedJob claimed = running(Spec().queue(queue).key("k"));
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_EQ(word_of(claimed.job), "failed");
  EXPECT_DUPLICATE_OF(claimed.job, Spec().queue(queue).key("k"));
}

TEST_P(Idempotency, AFreedKeyIsHeldAgainByTheNextJob) {
  const std::string queue = use_profile("generation");
  failed(Spec().queue(queue).key("k"));
  const JobId second = make(Spec().queue(queue).key("k"));
  EXPECT_DUPLICATE_OF(second, Spec().queue(queue).key("k"));
}

TEST_P(Idempotency, AnOldJobsEndDoesNotFreeAKeyThatAnotherHolds) {
  QueueUpdate update = update_of("g");
  update.idempotency_window = minutes(10);
  const std::string queue = use_profile("generation", update);
  const JobId old = make(Spec().queue(queue).key("k").priority(Priority::kCritical));
  advance(minutes(10));
  const JobId fresh = make(Spec().queue(queue).key("k"));
  ASSERT_EQ(code_of(cancel(old)), "ok");
  EXPECT_DUPLICATE_OF(fresh, Spec().queue(queue).key("k"));
}

TEST_P(Idempotency, GenerationMakesAKeyOfAccountAndPayload) {
  const std::string queue = use_profile("generation");
  const Spec spec = Spec().queue(queue).account("ann").payload(R"({"prompt":"a cat"})");
  const JobId id = make(spec);
  EXPECT_DUPLICATE_OF(id, spec);
  EXPECT_NEW_JOB(Spec(spec).account("bob"));
  EXPECT_NEW_JOB(Spec(spec).payload(R"({"prompt":"a dog"})"));
  EXPECT_NEW_JOB(Spec(spec).payload(R"({"prompt":"a cat","size":2})"));
}

TEST_P(Idempotency, AMadeKeyHoldsForTheMinute) {
  const std::string queue = use_profile("generation");
  advance(Duration{60'000 - now().ms % 60'000});  // the beginning of a minute
  const JobId id = make(Spec().queue(queue).payload("p"));
  advance(milliseconds(59'999));
  EXPECT_DUPLICATE_OF(id, Spec().queue(queue).payload("p"));
  advance(milliseconds(1));
  EXPECT_NEW_JOB(Spec().queue(queue).payload("p"));
}

TEST_P(Idempotency, TwoClicksAcrossAMinutesEdgeMakeOneJob) {
  const std::string queue = use_profile("generation");
  advance(Duration{60'000 - now().ms % 60'000 + 59'000});  // a second before the edge
  const JobId id = make(Spec().queue(queue).payload("p"));
  advance(seconds(2));
  EXPECT_DUPLICATE_OF(id, Spec().queue(queue).payload("p"));
  advance(milliseconds(57'999));  // a job younger than a minute
  EXPECT_DUPLICATE_OF(id, Spec().queue(queue).payload("p"));
  advance(milliseconds(1));
  EXPECT_NEW_JOB(Spec().queue(queue).payload("p"));
}

TEST_P(Idempotency, AMadeKeyMayBeAskedForAnywhere) {
  const JobId id = make(Spec().payload("p").auto_key());
  EXPECT_DUPLICATE_OF(id, Spec().payload("p").auto_key());
  EXPECT_NEW_JOB(Spec().payload("p"));
}

TEST_P(Idempotency, GenerationMayBeAskedToMakeNoKey) {
  const std::string queue = use_profile("generation");
  make(Spec().queue(queue).payload("p").no_key());
  EXPECT_NEW_JOB(Spec().queue(queue).payload("p").no_key());
}

TEST_P(Idempotency, AGivenKeyReplacesTheMadeOne) {
  const std::string queue = use_profile("generation");
  make(Spec().queue(queue).payload("p").key("one"));
  EXPECT_NEW_JOB(Spec().queue(queue).payload("p").key("two"));
}

TEST_P(Idempotency, ADuplicateCostsNothing) {
  const std::string queue = use_profile("generation");
  give("ann", 10);
  const Spec spec = Spec().queue(queue).account("ann").cost(6).key("k");
  const JobId id = make(spec);
  EXPECT_DUPLICATE_OF(id, spec);
  EXPECT_EQ(account("ann").balance.reserved, 6);
  EXPECT_EQ(account("ann").active_jobs, 1);
  EXPECT_EQ(entries("ann").size(), 2u) << "grant, reserve";
}

TEST_P(Idempotency, ADuplicateIsGivenEvenWhereANewJobWouldBeRefused) {
  const std::string queue = use_profile("generation");
  for (int i = 0; i < 5; ++i)
    make(Spec().queue(queue).account("guest").key("k" + std::to_string(i)));
  const Spec known = Spec().queue(queue).account("guest").key("k3");
  EXPECT_EQ(code_of(submit(Spec().queue(queue).account("guest").key("k5"))), "quota_exceeded");
  EXPECT_EQ(code_of(submit(known)), "ok");
  QueueUpdate update = update_of(queue);
  update.max_pending = 0;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_EQ(code_of(submit(known)), "ok");
}

TEST_P(Idempotency, ARefusedSubmissionTakesNoKey) {
  EXPECT_EQ(code_of(submit(Spec().key("k").account("poor").cost(1))), "insufficient_credits");
  EXPECT_NEW_JOB(Spec().key("k"));
}

TEST_P(Idempotency, ADraftHoldsItsKey) {
  const std::string queue = use_profile("document");
  const JobId id = make(Spec().queue(queue).draft().key("k"));
  EXPECT_DUPLICATE_OF(id, Spec().queue(queue).key("k"));
}

}  // namespace
}  // namespace baton::store::conformance
