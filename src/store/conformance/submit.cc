// Making jobs: what a submission becomes, what is refused, batches, drafts.
#include <set>

#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

TEST_P(Submit, MakesAJobThatCanBeClaimedAtOnce) {
  const JobId id = make();
  EXPECT_EQ(steps_of(id), "create:PENDING ready:SCHEDULED");
  const auto facts = facts_of(id);
  EXPECT_EQ(facts.attempt, 0);
  EXPECT_EQ(facts.retry_count, 0);
  EXPECT_EQ(facts.created_at, now());
  EXPECT_EQ(facts.scheduled_at, now());
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(Submit, KeepsWhatWasSubmitted) {
  const JobId id = make(Spec("mail")
                            .queue("post")
                            .payload(R"({"to":"ann"})")
                            .priority(Priority::kHigh)
                            .key("k1")
                            .attempts(7)
                            .lease(seconds(11))
                            .tag("team", "red")
                            .tag("area", "north")
                            .correlation("c-1")
                            .callback("https://example.com/done")
                            .traceparent("00-abc-def-01"));
  const auto record = get(id);
  EXPECT_EQ(record->spec->type, "mail");
  EXPECT_EQ(record->spec->queue, "post");
  EXPECT_EQ(record->spec->payload, R"({"to":"ann"})");
  EXPECT_EQ(record->spec->content_type, "application/json");
  EXPECT_EQ(record->spec->idempotency_key, "k1");
  EXPECT_EQ(record->spec->traceparent, "00-abc-def-01");
  EXPECT_EQ(record->facts.priority, Priority::kHigh);
  EXPECT_EQ(record->facts.terms->retry.max_attempts, 7);
  EXPECT_EQ(record->facts.terms->lease, seconds(11));
  const decltype(record->labels.tags) tags = {{"team", "red"}, {"area", "north"}};
  EXPECT_EQ(record->labels.tags, tags);
  EXPECT_EQ(record->labels.correlation_id, "c-1");
  EXPECT_EQ(record->labels.callback_url, "https://example.com/done");
  EXPECT_TRUE(record->facts.has_callback);
  EXPECT_TRUE(record->parent.is_nil());
  EXPECT_TRUE(record->redriven_from.is_nil());
}

TEST_P(Submit, PayloadBytesComeBackUnchanged) {
  std::string bytes;
  for (int i = 0; i < 256; ++i)
    bytes.push_back(static_cast<char>(i));
  const JobId id = make(Spec().payload(bytes).content_type("application/octet-stream"));
  EXPECT_EQ(get(id)->spec->payload, bytes);
  EXPECT_EQ(get(id)->spec->content_type, "application/octet-stream");
  ASSERT_EQ(code_of(ack(claim_one())), "ok");
  EXPECT_EQ(get(id)->spec->payload, bytes);
}

TEST_P(Submit, GivesEveryJobAnIdAndARisingNumber) {
  const auto ids = make_all(times(100, Spec()));
  EXPECT_EQ(std::set<JobId>(ids.begin(), ids.end()).size(), 100u);
  std::int64_t number = 0;
  for (const JobId& id : ids) {
    EXPECT_EQ(id.uuid.bytes[6] >> 4, 4) << "version 4";
    EXPECT_EQ(id.uuid.bytes[8] >> 6, 2) << "the usual variant";
    EXPECT_EQ(id.uuid.bytes[15], 0) << "room for the attempt";
    EXPECT_GT(get(id)->number, number);
    number = get(id)->number;
  }
}

TEST_P(Submit, MakesTheQueueOnFirstUse) {
  EXPECT_EQ(code_of(get_queue("fresh")), "not_found");
  make(Spec().queue("fresh"));
  const auto queue = get_queue("fresh");
  ASSERT_EQ(code_of(queue), "ok");
  EXPECT_EQ(queue->settings.profile, lifecycle::default_profile().name);
}

TEST_P(Submit, ADelayedJobWaitsForItsTime) {
  const JobId id = make(Spec().delay(seconds(10)));
  EXPECT_EQ(steps_of(id), "create:PENDING delay:DELAYED");
  EXPECT_EQ(facts_of(id).run_at, now() + seconds(10));
  advance(milliseconds(9999));
  EXPECT_EQ(state_of(id), "DELAYED");
  EXPECT_TRUE(claim().empty());
  advance(milliseconds(1));
  EXPECT_EQ(steps_of(id), "create:PENDING delay:DELAYED due:SCHEDULED");
  EXPECT_EQ(facts_of(id).scheduled_at, now());
}

TEST_P(Submit, ARunAtAheadDelays) {
  const JobId id = make(Spec().run_at(now() + minutes(1)));
  EXPECT_EQ(state_of(id), "DELAYED");
  advance(minutes(1));
  EXPECT_EQ(state_of(id), "SCHEDULED");
}

TEST_P(Submit, ARunAtThatIsOverOrNowDoesNotDelay) {
  const auto ids = make_all(
      {Spec().run_at(now()), Spec().run_at(now() + Duration{-60'000}), Spec().delay(Duration{})});
  EXPECT_EQ(states_of(ids), (std::vector<std::string>{"SCHEDULED", "SCHEDULED", "SCHEDULED"}));
}

TEST_P(Submit, RefusesWhatIsOutOfRangeAndMakesNothing) {
  struct Case {
    const char* what;
    Spec spec;
    const char* code;
    const char* field;
  };
  Spec many_tags;
  for (int i = 0; i < 65; ++i)
    many_tags.tag("t" + std::to_string(i), "v");
  const std::vector<Case> cases = {
      {"no type", Spec(""), "invalid_job", "type"},
      {"a type with blanks", Spec("two words"), "invalid_job", "type"},
      {"a long type", Spec(std::string(129, 't')), "invalid_job", "type"},
      {"no queue", Spec().queue(""), "invalid_job", "queue"},
      {"a long key", Spec().key(std::string(257, 'k')), "invalid_job", "idempotency_key"},
      {"an empty key", Spec().key(""), "invalid_job", "idempotency_key"},
      {"key and mode", Spec().key("k").no_key(), "invalid_job", "idempotency_key"},
      {"two times", Spec().delay(seconds(1)).run_at(Time{1}), "invalid_job", "run_at"},
      {"a negative delay", Spec().delay(Duration{-1}), "invalid_job", "delay_ms"},
      {"no attempt", Spec().attempts(0), "invalid_job", "retry.max_attempts"},
      {"many attempts", Spec().attempts(101), "invalid_job", "retry.max_attempts"},
      {"a short lease", Spec().lease(milliseconds(99)), "invalid_job", "timeouts.lease_ms"},
      {"a long lease", Spec().lease(Duration{3'600'001}), "invalid_job", "timeouts.lease_ms"},
      {"a long run", Spec().execution(minutes(31)), "invalid_job", "timeouts.execution_ms"},
      {"no lifetime", Spec().lifetime(Duration{}), "invalid_job", "timeouts.lifetime_ms"},
      {"an odd callback", Spec().callback("ftp://x"), "invalid_job", "callback_url"},
      {"many tags", many_tags, "invalid_job", "tags"},
      {"a table without entries", Spec().strategy(Strategy::kTable), "invalid_job",
       "retry.table_ms"},
      {"cost without account", Spec().cost(1), "invalid_job", "account"},
      {"a negative cost", Spec().account("a").cost(-1), "invalid_job", "cost"},
      {"a large payload", Spec().payload(std::string((1u << 20) + 1, 'x')), "payload_too_large",
       "payload"},
      {"a draft", Spec().draft(), "not_in_profile", "draft"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const auto refused = submit(c.spec);
    EXPECT_EQ(code_of(refused), c.code);
    if (!refused.ok()) {
      EXPECT_EQ(refused.error().field, c.field);
    }
  }
  EXPECT_TRUE(list_ids({}).empty());
  EXPECT_EQ(stats().live_jobs, 0);
}

TEST_P(Submit, AcceptsEveryLimitAtItsEdge) {
  const std::vector<Spec> specs = {
      Spec(std::string(128, 't')),
      Spec().key(std::string(256, 'k')),
      Spec().attempts(1),
      Spec().attempts(100),
      Spec().lease(milliseconds(100)),
      Spec().lease(hours(1)),
      Spec().execution(minutes(30)),
      Spec().lifetime(milliseconds(1)),
      Spec().payload(std::string(1u << 20, 'x')),
  };
  for (const Spec& spec : specs)
    EXPECT_EQ(code_of(submit(spec)), "ok");
}

TEST_P(Submit, AKeyIsCountedInCharactersNotBytes) {
  std::string key;
  for (int i = 0; i < 256; ++i)
    key += "\xC3\xA4";  // one character, two bytes
  EXPECT_EQ(code_of(submit(Spec().key(key))), "ok");
  EXPECT_EQ(code_of(submit(Spec().key(key + "x"))), "invalid_job");
}

TEST_P(Submit, AQueueMayTakeLargerPayloads) {
  QueueUpdate update = update_of("large");
  update.max_payload_bytes = std::size_t{2} << 20;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_EQ(code_of(submit(Spec().queue("large").payload(std::string(2u << 20, 'x')))), "ok");
  EXPECT_EQ(code_of(submit(Spec().queue("large").payload(std::string((2u << 20) + 1, 'x')))),
            "payload_too_large");
}

TEST_P(Submit, PinnedRetrySettingsAreRefused) {
  const std::string queue = use_profile("document");
  EXPECT_EQ(code_of(submit(Spec().queue(queue).attempts(2))), "not_in_profile");
  EXPECT_EQ(code_of(submit(Spec().queue(queue).jitter(Jitter::kNone))), "not_in_profile");
  EXPECT_EQ(code_of(submit(Spec().queue(queue).lease(seconds(1)))), "ok");
}

TEST_P(Submit, TermsComeFromTheJobThenTheQueueThenTheProfile) {
  QueueUpdate update = update_of("q");
  update.retry.emplace().max_attempts = 9;
  update.retry->initial = seconds(3);
  update.timeouts.emplace().lease = seconds(20);
  update.timeouts->lifetime = hours(2);
  update.system_is = FailureIs::kTerminal;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const JobId id = make(Spec().queue("q").attempts(2).lifetime(hours(1)));
  const auto record = get(id);
  const lifecycle::Terms& terms = *record->facts.terms;
  EXPECT_EQ(terms.retry.max_attempts, 2) << "the job's";
  EXPECT_EQ(terms.lifetime, hours(1)) << "the job's";
  EXPECT_EQ(terms.retry.initial, seconds(3)) << "the queue's";
  EXPECT_EQ(terms.lease, seconds(20)) << "the queue's";
  EXPECT_EQ(terms.system_is, FailureIs::kTerminal) << "the queue's";
  EXPECT_EQ(terms.execution, minutes(30)) << "the profile's";
  EXPECT_EQ(terms.retry.strategy, Strategy::kExponential) << "the profile's";
}

TEST_P(Submit, TheExecutionCeilingIsTheQueues) {
  QueueUpdate update = update_of("q");
  update.timeouts.emplace().execution = hours(2);
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_EQ(code_of(submit(Spec().queue("q").execution(hours(2)))), "ok");
  EXPECT_EQ(code_of(submit(Spec().queue("q").execution(hours(2) + milliseconds(1)))),
            "invalid_job");
}

TEST_P(Submit, ABatchHasFrom1To1000Jobs) {
  EXPECT_EQ(code_of(submit_batch({})), "bad_request");
  EXPECT_EQ(code_of(submit_batch(times(1001, Spec()))), "bad_request");
  EXPECT_TRUE(list_ids({}).empty());
  EXPECT_EQ(make_all(times(1000, Spec())).size(), 1000u);
  EXPECT_EQ(stats().live_jobs, 1000);
}

TEST_P(Submit, AnAtomicBatchMakesNothingWhenOneIsRefused) {
  const auto answer = submit_batch({Spec("a"), Spec("b"), Spec(""), Spec("c"), Spec("")});
  ASSERT_EQ(code_of(answer), "ok");
  ASSERT_TRUE(answer->refused);
  EXPECT_EQ(answer->refused->index, 2u) << "the first that failed";
  EXPECT_EQ(name(answer->refused->error.code), "invalid_job");
  EXPECT_TRUE(list_ids({}).empty());
  EXPECT_TRUE(claim({.max = 10}).empty());
}

TEST_P(Submit, ABatchThatIsNotAtomicMakesTheGoodOnes) {
  const auto answer = submit_batch({Spec("a"), Spec(""), Spec("c")}, {.atomic = false});
  ASSERT_EQ(code_of(answer), "ok");
  EXPECT_FALSE(answer->refused);
  ASSERT_EQ(answer->results.size(), 3u);
  EXPECT_EQ(code_of(answer->results[0]), "ok");
  EXPECT_EQ(code_of(answer->results[1]), "invalid_job");
  EXPECT_EQ(code_of(answer->results[2]), "ok");
  EXPECT_EQ(list_ids({}).size(), 2u);
}

TEST_P(Submit, ResultsComeInTheOrderOfTheSubmissions) {
  const auto ids = make_all({Spec("a"), Spec("b"), Spec("c")});
  std::string types;
  for (const JobId& id : ids)
    types += get(id)->spec->type;
  EXPECT_EQ(types, "abc");
  EXPECT_EQ(list_ids({}), (std::vector<JobId>{ids[2], ids[1], ids[0]}));
}

TEST_P(Submit, ADraftStaysUntilItIsSubmitted) {
  const std::string queue = use_profile("document");
  const JobId id = make(Spec().queue(queue).draft());
  EXPECT_EQ(steps_of(id), "create:CREATED");
  advance(hours(1));
  EXPECT_EQ(word_of(id), "CREATED");
  EXPECT_TRUE(claim({.queues = {queue}}).empty());
  ASSERT_EQ(code_of(submit_draft(id)), "ok");
  EXPECT_EQ(steps_of(id), "create:CREATED submit:PENDING ready:SCHEDULED");
  EXPECT_EQ(claim_one(queue).job, id);
}

TEST_P(Submit, ADraftIsSubmittedOnce) {
  const JobId id = make(Spec().queue(use_profile("document")).draft());
  EXPECT_EQ(code_of(submit_draft(id)), "ok");
  EXPECT_EQ(code_of(submit_draft(id)), "invalid_transition");
  EXPECT_EQ(code_of(submit_draft(make())), "invalid_transition");
}

TEST_P(Submit, ADraftsDelayCountsFromItsSubmission) {
  const JobId id = make(Spec().queue(use_profile("document")).draft().delay(seconds(10)));
  advance(minutes(1));
  ASSERT_EQ(code_of(submit_draft(id)), "ok");
  EXPECT_EQ(state_of(id), "DELAYED");
  EXPECT_EQ(facts_of(id).run_at, now() + seconds(10));
  advance(seconds(10));
  EXPECT_EQ(state_of(id), "SCHEDULED");
}

TEST_P(Submit, InDocumentEveryJobBeginsAsCreated) {
  const JobId id = make(Spec().queue(use_profile("document")));
  EXPECT_EQ(steps_of(id), "create:CREATED submit:PENDING ready:SCHEDULED");
  EXPECT_EQ(words_of(id), "CREATED QUEUED");
}

TEST_P(Submit, AnUnknownIdIsNotFound) {
  base::Random random(7);
  const JobId id = make_job_id(random);
  EXPECT_EQ(code_of(try_get(id)), "not_found");
  EXPECT_EQ(code_of(try_explain(id)), "not_found");
  EXPECT_EQ(code_of(cancel(id)), "not_found");
  EXPECT_EQ(code_of(reject_job(id)), "not_found");
  EXPECT_EQ(code_of(submit_draft(id)), "not_found");
  EXPECT_EQ(code_of(patch(patch_of(id))), "not_found");
  EXPECT_EQ(code_of(redrive(id)), "not_found");
  EXPECT_EQ(code_of(remove(id)), "not_found");
}

}  // namespace
}  // namespace baton::store::conformance
