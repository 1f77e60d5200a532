// What a client or an operator does to one job after its creation: changing labels and priority,
// making a copy of what ended badly, deleting. Cancelling is in cancellation.cc.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using Tags = std::vector<std::pair<std::string, std::string>>;

TEST_P(Operating, APatchChangesOnlyWhatItNames) {
  const JobId id = make(Spec().tag("a", "1").correlation("c1").callback("https://example.com/1"));
  PatchJob change = patch_of(id);
  change.correlation_id = "c2";
  ASSERT_EQ(code_of(patch(change)), "ok");
  const auto record = get(id);
  EXPECT_EQ(record->labels.correlation_id, "c2");
  EXPECT_EQ(record->labels.tags, (Tags{{"a", "1"}}));
  EXPECT_EQ(record->labels.callback_url, "https://example.com/1");
  EXPECT_EQ(record->facts.priority, Priority::kNormal);
}

TEST_P(Operating, APatchReplacesTagsAsAWhole) {
  const JobId id = make(Spec().tag("a", "1").tag("b", "2"));
  PatchJob change = patch_of(id);
  change.tags = Tags{{"c", "3"}};
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_EQ(get(id)->labels.tags, (Tags{{"c", "3"}}));
  change.tags = Tags{};
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_TRUE(get(id)->labels.tags.empty());
}

TEST_P(Operating, APatchSetsAndTakesAwayTheCallback) {
  const JobId id = make();
  PatchJob change = patch_of(id);
  change.callback_url = "https://example.com/x";
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_TRUE(facts_of(id).has_callback);
  change.callback_url = "";
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_FALSE(facts_of(id).has_callback);
  EXPECT_EQ(get(id)->labels.callback_url, "");
}

TEST_P(Operating, APatchLeavesTheSubmissionAlone) {
  const JobId id = make(Spec().payload("p").tag("a", "1").priority(Priority::kLow));
  PatchJob change = patch_of(id);
  change.priority = Priority::kCritical;
  change.tags = Tags{};
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_EQ(get(id)->spec->payload, "p");
  EXPECT_EQ(get(id)->facts.priority, Priority::kCritical);
  EXPECT_EQ(get(id)->history.size(), 2u) << "a patch is no change of state";
}

TEST_P(Operating, APatchWithTheCurrentVersionIsTakenAndRaisesIt) {
  const JobId id = make();
  const std::int64_t version = facts_of(id).version;
  PatchJob change = patch_of(id);
  change.correlation_id = "x";
  change.version = version;
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_EQ(facts_of(id).version, version + 1);
  EXPECT_EQ(code_of(patch(change)), "conflict") << "the version has moved on";
  EXPECT_EQ(facts_of(id).version, version + 1);
}

TEST_P(Operating, APatchWithAnotherVersionChangesNothing) {
  const JobId id = make(Spec().correlation("before"));
  PatchJob change = patch_of(id);
  change.correlation_id = "after";
  change.priority = Priority::kHigh;
  change.version = facts_of(id).version + 1;
  EXPECT_EQ(code_of(patch(change)), "conflict");
  EXPECT_EQ(get(id)->labels.correlation_id, "before");
  EXPECT_EQ(facts_of(id).priority, Priority::kNormal);
}

TEST_P(Operating, PriorityChangesOnlyWhileWaiting) {
  const ClaimedJob claimed = running();
  PatchJob change = patch_of(claimed.job);
  change.priority = Priority::kHigh;
  EXPECT_EQ(code_of(patch(change)), "invalid_transition");
  PatchJob labels = patch_of(claimed.job);
  labels.correlation_id = "still allowed";
  EXPECT_EQ(code_of(patch(labels)), "ok");
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_EQ(code_of(patch(change)), "ok") << "RETRYING is waiting";
}

TEST_P(Operating, AnEndedJobIsNotPatched) {
  const JobId id = completed();
  PatchJob change = patch_of(id);
  change.correlation_id = "late";
  EXPECT_EQ(code_of(patch(change)), "invalid_transition");
  EXPECT_EQ(get(id)->labels.correlation_id, "");
}

TEST_P(Operating, APatchKeepsToTheLimitsOfASubmission) {
  const JobId id = make(Spec().correlation("before"));
  PatchJob long_text = patch_of(id);
  long_text.correlation_id = std::string(257, 'x');
  EXPECT_EQ(code_of(patch(long_text)), "invalid_job");
  PatchJob odd_url = patch_of(id);
  odd_url.callback_url = "nowhere";
  EXPECT_EQ(code_of(patch(odd_url)), "invalid_job");
  PatchJob many_tags = patch_of(id);
  many_tags.tags.emplace();
  for (int i = 0; i < 65; ++i)
    many_tags.tags->emplace_back("t" + std::to_string(i), "v");
  EXPECT_EQ(code_of(patch(many_tags)), "invalid_job");
  EXPECT_EQ(get(id)->labels.correlation_id, "before");
  EXPECT_TRUE(get(id)->labels.tags.empty());
}

TEST_P(Operating, LabelsOutliveRetriesAndTheEnd) {
  const ClaimedJob first = running(Spec().constant(Duration{}));
  PatchJob change = patch_of(first.job);
  change.tags = Tags{{"k", "v"}};
  ASSERT_EQ(code_of(patch(change)), "ok");
  ASSERT_EQ(code_of(nack(first)), "ok");
  ASSERT_EQ(code_of(ack(claim_one())), "ok");
  EXPECT_EQ(get(first.job)->labels.tags, (Tags{{"k", "v"}}));
}

TEST_P(Operating, OnlyAnEndedJobIsDeleted) {
  const JobId waiting = make(Spec("waiting"));
  const ClaimedJob claimed = running(Spec("running"));
  EXPECT_EQ(code_of(remove(waiting)), "invalid_transition");
  EXPECT_EQ(code_of(remove(claimed.job)), "invalid_transition");
  EXPECT_EQ(state_of(waiting), "SCHEDULED");
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
}

TEST_P(Operating, ADeletedJobIsGoneWithAllItsRecords) {
  const JobId gone = completed(Spec("gone"));
  const JobId stays = completed(Spec("stays"));
  ASSERT_EQ(code_of(remove(gone)), "ok");
  EXPECT_EQ(code_of(try_get(gone)), "not_found");
  EXPECT_EQ(code_of(try_explain(gone)), "not_found");
  EXPECT_EQ(code_of(remove(gone)), "not_found");
  EXPECT_EQ(list_ids({}), (std::vector<JobId>{stays}));
  EXPECT_EQ(code_of(submit(Spec().after({gone}))), "unknown_dependency");
}

TEST_P(Operating, ACallOnADeletedJobIsNotFound) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  ASSERT_EQ(code_of(remove(claimed.job)), "ok");
  EXPECT_EQ(code_of(ack(claimed)), "not_found");
}

TEST_P(Operating, DeletingFreesTheKey) {
  const JobId id = completed(Spec().key("k"));
  ASSERT_EQ(code_of(remove(id)), "ok");
  const auto again = submit(Spec().key("k"));
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_FALSE(again->duplicate);
  EXPECT_NE(again->id, id);
}

TEST_P(Operating, DeletingADependencyThatEndedDoesNotHoldUpItsDependents) {
  const JobId first = make(Spec("first"));
  const JobId second = make(Spec("second"));
  const JobId waits = make(Spec("waits").after({first, second}));
  complete(first);
  ASSERT_EQ(code_of(remove(first)), "ok");
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(second);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Operating, ModerationBeforeTheRunEndsAWaitingJob) {
  const std::string queue = use_profile("generation");
  const JobId scheduled = make(Spec("scheduled").queue(queue));
  const JobId delayed = make(Spec("delayed").queue(queue).delay(hours(1)));
  const JobId pending = make(Spec("pending").queue(queue).after({delayed}));
  ASSERT_EQ(code_of(reject_job(pending, "no such pictures")), "ok");
  ASSERT_EQ(code_of(reject_job(delayed)), "ok");
  ASSERT_EQ(code_of(reject_job(scheduled)), "ok");
  EXPECT_EQ(word_of(scheduled), "rejected");
  EXPECT_EQ(word_of(delayed), "rejected");
  EXPECT_EQ(word_of(pending), "rejected");
  EXPECT_EQ(get(pending)->last_failure->message, "no such pictures");
  EXPECT_TRUE(claim({.queues = {queue}}).empty());
}

TEST_P(Operating, ModerationByAnOperatorIsForJobsThatHaveNotRun) {
  const std::string queue = use_profile("generation");
  const ClaimedJob claimed = running(Spec().queue(queue));
  EXPECT_EQ(code_of(reject_job(claimed.job)), "invalid_transition");
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_EQ(code_of(reject_job(claimed.job)), "invalid_transition") << "it waits for its retry";
}

TEST_P(Operating, ModerationIsNotInEveryProfile) {
  for (const char* profile : {"standard", "document", "commit", "lease"}) {
    const JobId id = make(Spec().queue(use_profile(profile)));
    EXPECT_EQ(code_of(reject_job(id)), "not_in_profile") << profile;
    EXPECT_EQ(state_of(id), "SCHEDULED");
  }
}

TEST_P(Operating, APatchedCallbackIsReadAndCopied) {
  const JobId id = make(Spec().callback("https://example.com/before"));
  PatchJob change = patch_of(id);
  change.callback_url = "https://example.com/after";
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_EQ(get(id)->labels.callback_url, "https://example.com/after");
  ASSERT_EQ(code_of(cancel(id)), "ok");
  const auto copy = redrive(id);
  ASSERT_EQ(code_of(copy), "ok");
  EXPECT_EQ(get(copy->id)->labels.callback_url, "https://example.com/after");
}

}  // namespace
}  // namespace baton::store::conformance
