// Reading: one job, lists with filters and cursors, explanations, statistics.
#include <algorithm>
#include <functional>

#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using Ids = std::vector<JobId>;

ListJobs where(const std::function<void(ListJobs&)>& set) {
  ListJobs filter;
  set(filter);
  return filter;
}

// ---- Lists ------------------------------------------------------------------------------------

TEST_P(Queries, AListIsNewestFirst) {
  const Ids ids = make_all(times(5, Spec()));
  EXPECT_EQ(list_ids({}), Ids(ids.rbegin(), ids.rend()));
}

TEST_P(Queries, AnEmptyStoreHasAnEmptyList) {
  const auto list = try_list({});
  ASSERT_EQ(code_of(list), "ok");
  EXPECT_TRUE(list->jobs.empty());
  EXPECT_EQ(list->next_before_number, 0);
}

TEST_P(Queries, AListIsFilteredByQueueAndType) {
  const Ids ids =
      make_all({Spec("a").queue("one"), Spec("b").queue("one"), Spec("a").queue("two")});
  EXPECT_EQ(list_ids(where([](ListJobs& f) { f.queue = "one"; })), (Ids{ids[1], ids[0]}));
  EXPECT_EQ(list_ids(where([](ListJobs& f) { f.type = "a"; })), (Ids{ids[2], ids[0]}));
  EXPECT_EQ(list_ids(where([](ListJobs& f) {
              f.queue = "one";
              f.type = "a";
            })),
            Ids{ids[0]});
  EXPECT_TRUE(list_ids(where([](ListJobs& f) { f.queue = "three"; })).empty());
  EXPECT_TRUE(list_ids(where([](ListJobs& f) { f.type = "c"; })).empty());
}

TEST_P(Queries, AListIsFilteredByCanonicalState) {
  const JobId done = completed(Spec("done"));
  const JobId waiting = make(Spec("waiting"));
  const ClaimedJob claimed = running(Spec("running"));
  const auto in = [&](JobState state) {
    return list_ids(where([&](ListJobs& f) { f.canonical_state = state; }));
  };
  EXPECT_EQ(in(JobState::kCompleted), Ids{done});
  EXPECT_EQ(in(JobState::kScheduled), Ids{waiting});
  EXPECT_EQ(in(JobState::kRunning), Ids{claimed.job});
  EXPECT_TRUE(in(JobState::kFailed).empty());
}

TEST_P(Queries, AListIsFilteredByTheProfilesOwnWords) {
  const std::string lease = use_profile("lease");
  const std::string generation = use_profile("generation");
  const JobId ready = make(Spec("ready").queue(lease));
  const JobId delayed = make(Spec("delayed").queue(lease).delay(hours(1)));
  const JobId scheduled = make(Spec("scheduled"));
  const JobId standard_failed = failed(Spec("failed"));
  const ClaimedJob retrying = running(Spec("retrying").queue(generation));
  ASSERT_EQ(code_of(nack(retrying)), "ok");
  const auto in = [&](const char* word) {
    return list_ids(where([&](ListJobs& f) { f.state = word; }));
  };
  EXPECT_EQ(in("Ready"), (Ids{delayed, ready})) << "several canonical states, one word";
  EXPECT_EQ(in("SCHEDULED"), Ids{scheduled}) << "another profile's word";
  EXPECT_EQ(in("FAILED"), Ids{standard_failed});
  EXPECT_EQ(in("failed"), Ids{retrying.job}) << "exactly as it is written";
  EXPECT_TRUE(in("ready").empty());
}

TEST_P(Queries, AListIsFilteredByParent) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(spawn(claimed, {Spec("a"), Spec("b").queue("other")})), "ok");
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  make();
  const Ids children = get(claimed.job)->children;
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(list_ids(where([&](ListJobs& f) { f.parent = claimed.job; })),
            (Ids{children[1], children[0]}));
  EXPECT_EQ(list_ids(where([&](ListJobs& f) {
              f.parent = claimed.job;
              f.queue = "other";
            })),
            Ids{children[1]});
  EXPECT_TRUE(list_ids(where([&](ListJobs& f) { f.parent = children[0]; })).empty());
  ASSERT_EQ(code_of(remove(claimed.job)), "ok");
  EXPECT_EQ(list_ids(where([&](ListJobs& f) { f.parent = claimed.job; })).size(), 2u)
      << "children know their parent though it is gone";
}

TEST_P(Queries, AListIsFilteredByTheBeginningOfIds) {
  const Ids ids = make_all(times(20, Spec()));
  const auto beginning = [&](const std::string& text) {
    return list_ids(where([&](ListJobs& f) { f.id_prefix = text; }));
  };
  for (const JobId& id : ids) {
    const std::string text = to_string(id);
    for (const std::size_t length : {8u, 9u, 12u, 17u, 25u, 36u})
      EXPECT_EQ(beginning(text.substr(0, length)), Ids{id}) << length;
  }
  std::string other = to_string(ids[0]);
  other[20] = other[20] == '0' ? '1' : '0';
  EXPECT_TRUE(beginning(other.substr(0, 21)).empty());
  EXPECT_TRUE(list_ids(where([&](ListJobs& f) {
                f.id_prefix = to_string(ids[0]).substr(0, 8);
                f.queue = "other";
              })).empty());
  ASSERT_EQ(code_of(cancel(ids[0])), "ok");
  ASSERT_EQ(code_of(remove(ids[0])), "ok");
  EXPECT_TRUE(beginning(to_string(ids[0])).empty());
}

TEST_P(Queries, WhatIsNoBeginningOfAnIdIsRefused) {
  const std::string too_long = "12345678-1234-1234-1234-1234567890123";
  for (const std::string& text : {std::string(), std::string("1234567"), std::string("1234567x"),
                                  std::string("123456789"), too_long}) {
    const auto list = try_list(where([&](ListJobs& f) { f.id_prefix = text; }));
    ASSERT_EQ(code_of(list), "bad_request") << text;
    EXPECT_EQ(list.error().field, "id_prefix");
  }
}

TEST_P(Queries, AListIsFilteredByLabels) {
  const Ids ids =
      make_all({Spec().tag("team", "red").tag("size", "big"), Spec().tag("team", "blue"),
                Spec().correlation("c-1"), Spec().account("ann")});
  const auto tagged = [&](const char* key, const char* value) {
    return list_ids(where([&](ListJobs& f) { f.tag.emplace(key, value); }));
  };
  EXPECT_EQ(tagged("team", "red"), Ids{ids[0]});
  EXPECT_EQ(tagged("size", "big"), Ids{ids[0]});
  EXPECT_TRUE(tagged("team", "big").empty());
  EXPECT_EQ(list_ids(where([](ListJobs& f) { f.correlation_id = "c-1"; })), Ids{ids[2]});
  EXPECT_EQ(list_ids(where([](ListJobs& f) { f.account = "ann"; })), Ids{ids[3]});
}

TEST_P(Queries, AListFindsLabelsAsTheyAreNow) {
  const JobId id = make(Spec().tag("k", "old"));
  PatchJob change = patch_of(id);
  change.tags.emplace().emplace_back("k", "new");
  change.correlation_id = "c";
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_TRUE(list_ids(where([](ListJobs& f) { f.tag.emplace("k", "old"); })).empty());
  EXPECT_EQ(list_ids(where([](ListJobs& f) { f.tag.emplace("k", "new"); })), Ids{id});
  EXPECT_EQ(list_ids(where([](ListJobs& f) { f.correlation_id = "c"; })), Ids{id});
}

TEST_P(Queries, AListIsFilteredByTimeOfCreation) {
  const JobId first = make();
  advance(seconds(1));
  const JobId second = make();
  const Time middle = now();
  advance(seconds(1));
  const JobId third = make();
  EXPECT_EQ(list_ids(where([&](ListJobs& f) { f.created_after = middle; })), Ids{third});
  EXPECT_EQ(list_ids(where([&](ListJobs& f) { f.created_before = middle; })), Ids{first});
  EXPECT_EQ(list_ids(where([&](ListJobs& f) {
              f.created_after = middle + milliseconds(-1);
              f.created_before = middle + milliseconds(1);
            })),
            Ids{second});
}

TEST_P(Queries, PagesGiveEveryJobOnce) {
  const Ids ids = make_all(times(10, Spec()));
  for (const std::size_t limit : {1u, 3u, 5u, 10u, 11u}) {
    Ids seen;
    ListJobs filter;
    filter.limit = limit;
    do {
      const auto page = try_list(filter);
      ASSERT_EQ(code_of(page), "ok");
      EXPECT_LE(page->jobs.size(), limit);
      for (const auto& job : page->jobs)
        seen.push_back(job->id);
      filter.before_number = page->next_before_number;
    } while (filter.before_number != 0);
    EXPECT_EQ(seen, Ids(ids.rbegin(), ids.rend())) << limit;
  }
}

TEST_P(Queries, APageHasFrom1To1000Jobs) {
  make();
  ListJobs filter;
  for (const std::size_t limit : {0u, 1001u}) {
    filter.limit = limit;
    EXPECT_EQ(code_of(try_list(filter)), "bad_request") << limit;
  }
  filter.limit = 1000;
  EXPECT_EQ(code_of(try_list(filter)), "ok");
}

TEST_P(Queries, ACursorIsNotDisturbedByNewOrDeletedJobs) {
  const Ids ids = make_all(times(6, Spec()));
  ListJobs filter;
  filter.limit = 2;
  const auto first = try_list(filter);
  ASSERT_EQ(code_of(first), "ok");
  ASSERT_NE(first->next_before_number, 0);
  make_all(times(3, Spec()));
  ASSERT_EQ(code_of(cancel(ids[4])), "ok");
  ASSERT_EQ(code_of(remove(ids[4])), "ok");
  filter.before_number = first->next_before_number;
  filter.limit = 100;
  EXPECT_EQ(list_ids(filter), (Ids{ids[3], ids[2], ids[1], ids[0]}));
}

TEST_P(Queries, AFilteredListIsPagedToo) {
  Ids expected;
  for (int i = 0; i < 9; ++i) {
    const JobId id = make(Spec(i % 3 == 0 ? "wanted" : "other"));
    if (i % 3 == 0) expected.insert(expected.begin(), id);
  }
  Ids seen;
  ListJobs filter;
  filter.type = "wanted";
  filter.limit = 1;
  do {
    const auto page = try_list(filter);
    ASSERT_EQ(code_of(page), "ok");
    for (const auto& job : page->jobs)
      seen.push_back(job->id);
    filter.before_number = page->next_before_number;
  } while (filter.before_number != 0);
  EXPECT_EQ(seen, expected);
}

// ---- One job ----------------------------------------------------------------------------------

TEST_P(Queries, AReadSeesWhatWasAcknowledged) {
  for (int i = 0; i < 20; ++i) {
    const JobId id = make(Spec("t" + std::to_string(i)));
    EXPECT_EQ(state_of(id), "SCHEDULED");
    const ClaimedJob claimed = claim_job(id);
    EXPECT_EQ(state_of(id), "RUNNING");
    ASSERT_EQ(code_of(ack(claimed, std::to_string(i))), "ok");
    EXPECT_EQ(get(id)->result->bytes, std::to_string(i));
  }
}

TEST_P(Queries, ARecordThatWasReadDoesNotChange) {
  const JobId id = make();
  const auto before = get(id);
  ASSERT_EQ(code_of(ack(claim_one())), "ok");
  EXPECT_EQ(before->facts.state, JobState::kScheduled);
  EXPECT_EQ(before->history.size(), 2u);
  EXPECT_TRUE(before->executions.empty());
}

TEST_P(Queries, HistoryTellsWhoDidWhatAndWhen) {
  const JobId id = make(Spec().constant(seconds(1)));
  pass(seconds(1));
  const ClaimedJob claimed = claim_one();
  pass(seconds(1));
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  advance(seconds(1));
  ASSERT_EQ(code_of(cancel(id)), "ok");
  const auto history = get(id)->history;
  ASSERT_EQ(history.size(), 6u);
  const Time start = get(id)->facts.created_at;
  const std::vector<Actor> actors = {Actor::kClient, Actor::kClient, Actor::kWorker,
                                     Actor::kWorker, Actor::kSystem, Actor::kClient};
  const std::vector<std::int64_t> times_ms = {0, 0, 1000, 2000, 3000, 3000};
  for (std::size_t i = 0; i < history.size(); ++i) {
    EXPECT_EQ(history[i].actor, actors[i]) << i;
    EXPECT_EQ(history[i].at, start + Duration{times_ms[i]}) << i;
  }
  EXPECT_EQ(history[2].attempt, 1);
  EXPECT_EQ(history[3].attempt, 1);
  EXPECT_EQ(history[4].attempt, 0);
}

TEST_P(Queries, ExecutionsAreOldestFirst) {
  const JobId id = make(Spec().constant(Duration{}));
  for (const char* worker : {"w1", "w2", "w3"}) {
    const auto claimed = claim({.worker = worker});
    ASSERT_EQ(claimed.size(), 1u);
    ASSERT_EQ(code_of(nack(claimed[0])), "ok");
  }
  const auto executions = get(id)->executions;
  ASSERT_EQ(executions.size(), 3u);
  EXPECT_EQ(executions[0].worker, "w1");
  EXPECT_EQ(executions[2].worker, "w3");
  EXPECT_EQ(executions[2].facts.attempt, 3);
}

// ---- Statistics -------------------------------------------------------------------------------

TEST_P(Queries, StatisticsListEveryQueueByName) {
  make(Spec().queue("b"));
  ASSERT_EQ(code_of(set_queue(update_of("c"))), "ok");
  make(Spec().queue("a"));
  const Stats seen = stats();
  ASSERT_EQ(seen.queues.size(), 3u);
  EXPECT_EQ(seen.queues[0].name, "a");
  EXPECT_EQ(seen.queues[1].name, "b");
  EXPECT_EQ(seen.queues[2].name, "c");
  EXPECT_EQ(seen.live_jobs, 2);
}

TEST_P(Queries, CountersFollowJobsThroughEveryState) {
  // The oracle recounts after every step; here the jobs only have to go everywhere.
  const std::string document = use_profile("document");
  const std::string generation = use_profile("generation");
  const JobId draft = make(Spec("draft").queue(document).draft());
  const JobId delayed = make(Spec("delayed").delay(seconds(1)));
  const JobId pending = make(Spec("pending").after({delayed}));
  const ClaimedJob retrying = running(Spec("retrying"));
  ASSERT_EQ(code_of(nack(retrying)), "ok");
  ASSERT_EQ(code_of(submit_draft(draft)), "ok");
  ASSERT_EQ(code_of(reject_job(make(Spec("rejected").queue(generation)))), "ok");
  failed(Spec("failed"));
  dead_lettered(Spec("dead"));
  cancelled(Spec("cancelled"));
  advance(seconds(1));
  complete(delayed);
  complete(pending);
  ASSERT_EQ(code_of(remove(delayed)), "ok");
  audit(true);
}

// ---- Explanations -----------------------------------------------------------------------------

TEST_P(Explain, ADraftWaitsForItsSubmission) {
  const JobId id = make(Spec().queue(use_profile("document")).draft());
  EXPECT_EQ(explain_code(id), "waits_for_submission");
}

TEST_P(Explain, APendingJobNamesWhatItWaitsFor) {
  const JobId done = completed(Spec("done"));
  const JobId first = make(Spec("first"));
  const JobId second = make(Spec("second"));
  const JobId id = make(Spec("waits").after({done, first, second}));
  EXPECT_EQ(explain_code(id), "waits_for_dependencies");
  auto waits_for = try_explain(id)->waits_for;
  std::sort(waits_for.begin(), waits_for.end());
  Ids expected = {first, second};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(waits_for, expected) << "the unfinished ones";
  complete(first);
  EXPECT_EQ(try_explain(id)->waits_for, Ids{second});
}

TEST_P(Explain, AFanInNamesUnfinishedChildren) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId id = make(Spec("waits").fan_in({parent.job}));
  EXPECT_EQ(try_explain(id)->waits_for, Ids{parent.job});
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("child")})), "ok");
  EXPECT_EQ(try_explain(id)->waits_for, get(parent.job)->children);
}

TEST_P(Explain, AnAfterDoesNotNameChildren) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId other = make(Spec("other"));
  const JobId id = make(Spec("waits").after({parent.job, other}));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("child")})), "ok");
  EXPECT_EQ(try_explain(id)->waits_for, Ids{other});
}

TEST_P(Explain, AJobNamedTwiceIsWaitedForOnce) {
  const JobId other = make(Spec("other"));
  const JobId id = make(Spec("waits").after({other, other}).after_any({other}));
  EXPECT_EQ(try_explain(id)->waits_for, Ids{other});
}

TEST_P(Explain, AtMostAHundredDependenciesAreNamed) {
  const Ids ids = make_all(times(150, Spec("many")));
  const JobId id = make(Spec("waits").after(names_of(ids)));
  EXPECT_EQ(try_explain(id)->waits_for.size(), 100u);
}

TEST_P(Explain, TimeAloneIsNamed) {
  const JobId delayed = make(Spec("delayed").delay(minutes(1)));
  EXPECT_EQ(explain_code(delayed), "waits_for_time");
  EXPECT_EQ(try_explain(delayed)->until, now() + minutes(1));
  const ClaimedJob claimed = running(Spec("retrying"));
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_EQ(explain_code(claimed.job), "waits_for_backoff");
  EXPECT_EQ(try_explain(claimed.job)->until, now() + seconds(1));
}

TEST_P(Explain, AReadyJobWaitsForAWorker) {
  const JobId id = make();
  EXPECT_EQ(explain_code(id), "waits_for_worker");
  EXPECT_FALSE(try_explain(id)->until.is_set());
}

TEST_P(Explain, AReadyJobInAPausedQueueSaysSo) {
  const JobId id = make();
  QueueUpdate update = update_of("default");
  update.paused = true;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_EQ(explain_code(id), "queue_paused");
}

TEST_P(Explain, DrainingIsNoReasonToWait) {
  const JobId id = make();
  QueueUpdate update = update_of("default");
  update.draining = true;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_EQ(explain_code(id), "waits_for_worker");
}

TEST_P(Explain, AReadyJobBehindALimitSaysSo) {
  QueueUpdate update = update_of("default");
  update.max_running = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const ClaimedJob claimed = running(Spec("running"));
  const JobId id = make(Spec("waiting"));
  EXPECT_EQ(explain_code(id), "max_running_reached");
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  EXPECT_EQ(explain_code(id), "waits_for_worker");
}

TEST_P(Explain, AReadyJobBehindARateSaysUntilWhen) {
  QueueUpdate update = update_of("default");
  update.rate = RateLimit{2, 1};
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  running(Spec("running"));
  const JobId id = make(Spec("waiting"));
  EXPECT_EQ(explain_code(id), "rate_reached");
  EXPECT_EQ(try_explain(id)->until, now() + milliseconds(500));
  advance(milliseconds(500));
  EXPECT_EQ(explain_code(id), "waits_for_worker");
}

TEST_P(Explain, ARunningJobRunsAndACommittedOneIsFinalised) {
  const ClaimedJob claimed = running();
  EXPECT_EQ(explain_code(claimed.job), "runs");
  ASSERT_EQ(code_of(start(claimed)), "ok");
  EXPECT_EQ(explain_code(claimed.job), "runs");
  ASSERT_EQ(code_of(commit(claimed)), "ok");
  EXPECT_EQ(explain_code(claimed.job), "finalising");
}

TEST_P(Explain, AnEndedJobSaysHowItEnded) {
  const std::string generation = use_profile("generation");
  EXPECT_EQ(explain_code(completed(Spec("a"))), "ended_completed");
  EXPECT_EQ(explain_code(failed(Spec("b"))), "ended_failed");
  EXPECT_EQ(explain_code(dead_lettered(Spec("c"))), "ended_dead_letter");
  EXPECT_EQ(explain_code(cancelled(Spec("d"))), "ended_cancelled");
  const JobId rejected = make(Spec("e").queue(generation));
  ASSERT_EQ(code_of(reject_job(rejected)), "ok");
  EXPECT_EQ(explain_code(rejected), "ended_rejected");
  EXPECT_FALSE(try_explain(rejected)->until.is_set());
  EXPECT_TRUE(try_explain(rejected)->waits_for.empty());
}

TEST_P(Explain, AnExplanationShowsTheJob) {
  const JobId id = make();
  const auto explanation = try_explain(id);
  ASSERT_EQ(code_of(explanation), "ok");
  EXPECT_EQ(explanation->id, id);
  EXPECT_EQ(explanation->canonical_state, JobState::kScheduled);
  EXPECT_EQ(explanation->state, "SCHEDULED");
}

TEST_P(Explain, AnExplanationIsOfThisMoment) {
  const JobId id = make(Spec().delay(seconds(5)));
  pass(seconds(5));
  EXPECT_EQ(explain_code(id), "waits_for_worker");
}

}  // namespace
}  // namespace baton::store::conformance
