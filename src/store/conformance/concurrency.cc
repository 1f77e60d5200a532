// Many callers at once: every job is done exactly once, whoever is quicker. The clock stands still,
// so that no lease ends by chance; the number of operations is bounded.
#include <mutex>
#include <set>
#include <thread>

#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

constexpr int kThreads = 4;

// Runs `body` on several threads at once. What it throws fails the test.
void at_once(int threads, const std::function<void(int)>& body) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&body, i] {
      try {
        body(i);
      } catch (const std::exception& why) {
        ADD_FAILURE() << why.what();
      }
    });
  }
  for (std::thread& thread : running)
    thread.join();
}

SubmitBatch batch_of(const Spec& spec) {
  SubmitBatch batch;
  batch.jobs = {spec.share()};
  return batch;
}

Result<SubmitAnswer> submit_to(Store& store, const Spec& spec) {
  return await<SubmitAnswer>("submit",
                             [&](auto done) { store.submit(batch_of(spec), std::move(done)); });
}

std::vector<ClaimedJob> claim_from(Store& store, int max, const std::string& worker) {
  ClaimRequest request;
  request.queues = {"default"};
  request.max = max;
  request.worker = worker;
  auto answer = await<ClaimAnswer>(
      "claim", [&](auto done) { store.claim(std::move(request), std::move(done)); });
  if (!answer.ok()) throw CannotGoOn("a claim was refused: " + answer.error().message);
  return std::move(answer).value().executions;
}

std::vector<Result<CallAnswer>> call_on(Store& store, std::vector<WorkCall> calls) {
  auto answer = await<std::vector<Result<CallAnswer>>>(
      "work", [&](auto done) { store.work(std::move(calls), std::move(done)); });
  if (!answer.ok()) throw CannotGoOn("work was refused: " + answer.error().message);
  return std::move(answer).value();
}

WorkCall ack_of(const ClaimedJob& claimed) {
  WorkCall call;
  call.call = AckCall{};
  call.execution = claimed.execution;
  call.token = claimed.facts.execution.token;
  return call;
}

TEST_P(Concurrency, OneJobAtATimeHasAUniqueKey) {
  constexpr int kEach = 50;
  end_watch();
  std::atomic<int> made{0};
  at_once(kThreads, [&](int thread) {
    for (int i = 0; i < kEach; ++i) {
      const auto way = static_cast<OnConflict>((thread + i) % 3);
      const auto answer = submit_to(store(), Spec().unique("u", way));
      if (answer.ok() && !answer->refused && !answer->results.front()->duplicate) ++made;
      std::vector<WorkCall> calls;
      for (const ClaimedJob& claimed : claim_from(store(), 3, "w" + std::to_string(thread)))
        calls.push_back(ack_of(claimed));
      EXPECT_LE(calls.size(), 1u) << "two jobs with one unique key could be claimed";
      call_on(store(), calls);
    }
  });
  ListJobs filter;
  filter.limit = 1000;
  int live = 0;
  const auto all = try_list(filter);
  for (const auto& record : all->jobs)
    if (!is_terminal(record->facts.state)) ++live;
  EXPECT_LE(live, 1);
  EXPECT_EQ(all->jobs.size(), static_cast<std::size_t>(made.load()));
}

TEST_P(Concurrency, EveryJobCompletesExactlyOnce) {
  constexpr int kJobsEach = 60;
  end_watch();
  std::atomic<int> acked{0};
  at_once(kThreads, [&](int thread) {
    for (int i = 0; i < kJobsEach; ++i) {
      if (!submit_to(store(), Spec()).ok()) ADD_FAILURE() << "a submission was refused";
      std::vector<WorkCall> calls;
      for (const ClaimedJob& claimed : claim_from(store(), 3, "w" + std::to_string(thread)))
        calls.push_back(ack_of(claimed));
      for (const auto& answer : call_on(store(), calls)) {
        EXPECT_TRUE(answer.ok() && !answer->repeated);
        ++acked;
      }
    }
  });
  for (const ClaimedJob& claimed : claim({.max = 1000})) {
    EXPECT_EQ(code_of(ack(claimed)), "ok");
    ++acked;
  }
  EXPECT_EQ(acked.load(), kThreads * kJobsEach);
  ListJobs filter;
  filter.limit = 1000;
  const auto all = try_list(filter);
  ASSERT_EQ(code_of(all), "ok");
  EXPECT_EQ(all->jobs.size(), static_cast<std::size_t>(kThreads * kJobsEach));
  for (const auto& job : all->jobs) {
    EXPECT_EQ(job->facts.state, JobState::kCompleted);
    EXPECT_EQ(job->facts.attempt, 1);
  }
  audit(true);
}

TEST_P(Concurrency, ManyCallersWithOneKeyMakeOneJob) {
  std::mutex mutex;
  std::set<JobId> ids;
  int made = 0;
  at_once(kThreads, [&](int) {
    for (int i = 0; i < 50; ++i) {
      const auto answer = submit_to(store(), Spec().key("k" + std::to_string(i)));
      if (!answer.ok() || answer->refused) throw CannotGoOn("a submission was refused");
      const std::lock_guard lock(mutex);
      ids.insert(answer->results.at(0)->id);
      if (!answer->results.at(0)->duplicate) ++made;
    }
  });
  EXPECT_EQ(ids.size(), 50u);
  EXPECT_EQ(made, 50);
}

TEST_P(Concurrency, ManyAcksOfOneExecutionCountOnce) {
  const JobId id = make(Spec());
  const ClaimedJob claimed = claim_one();
  std::atomic<int> first{0};
  std::atomic<int> repeated{0};
  at_once(kThreads, [&](int) {
    for (int i = 0; i < 10; ++i) {
      for (const auto& answer : call_on(store(), {ack_of(claimed)})) {
        if (!answer.ok()) throw CannotGoOn("an ack was refused");
        ++(answer->repeated ? repeated : first);
      }
    }
  });
  EXPECT_EQ(first.load(), 1);
  EXPECT_EQ(repeated.load(), 10 * kThreads - 1);
  EXPECT_EQ(state_of(id), "COMPLETED");
}

TEST_P(Concurrency, CancelAndAckAgreeOnOneEnd) {
  end_watch();
  const auto ids = make_all(times(60, Spec()));
  const auto claimed = claim({.max = 60});
  ASSERT_EQ(claimed.size(), 60u);
  std::vector<std::string> acked(60);
  std::vector<std::string> cancelled(60);
  at_once(2, [&](int thread) {
    for (std::size_t i = 0; i < 60; ++i) {
      if (thread == 0) {
        acked[i] = code_of(call_on(store(), {ack_of(claimed[i])}).at(0));
      } else {
        cancelled[i] = code_of(await<JobAnswer>("cancel", [&](auto done) {
          store().cancel({claimed[i].job, true, ""}, std::move(done));
        }));
      }
    }
  });
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_NE(acked[i] == "ok", cancelled[i] == "ok") << "one of the two wins";
    EXPECT_EQ(state_of(claimed[i].job), acked[i] == "ok" ? "COMPLETED" : "CANCELLED");
  }
  audit(true);
}

TEST_P(Concurrency, AReadNeverSeesHalfAChange) {
  end_watch();
  std::atomic<bool> finished{false};
  at_once(2, [&](int thread) {
    if (thread == 0) {
      for (int i = 0; i < 60; ++i) {
        if (!submit_to(store(), Spec()).ok()) ADD_FAILURE() << "a submission was refused";
        for (const ClaimedJob& claimed : claim_from(store(), 1, "w"))
          call_on(store(), {ack_of(claimed)});
      }
      finished = true;
      return;
    }
    for (int reads = 0; !finished && reads < 100'000; ++reads) {
      const auto list = try_list({});
      if (!list.ok()) throw CannotGoOn("a list was refused");
      for (const auto& job : list->jobs)
        check_record(*job);
    }
  });
}

TEST_P(Concurrency, LimitsAreNeverExceeded) {
  QueueUpdate update = update_of("default");
  update.max_running = 3;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  end_watch();
  make_all(times(120, Spec()));
  std::atomic<int> running{0};
  std::atomic<int> finished{0};
  at_once(kThreads, [&](int thread) {
    for (int i = 0; i < 2'000 && finished < 120; ++i) {
      const auto claimed = claim_from(store(), 2, "w" + std::to_string(thread));
      EXPECT_LE(
          running.fetch_add(static_cast<int>(claimed.size())) + static_cast<int>(claimed.size()),
          3);
      for (const ClaimedJob& one : claimed) {
        --running;  // before the store knows: it may hand out another at once
        const auto answers = call_on(store(), {ack_of(one)});
        if (!answers.at(0).ok()) throw CannotGoOn("an ack was refused");
        ++finished;
      }
    }
  });
  for (auto rest = claim({.max = 3}); !rest.empty(); rest = claim({.max = 3})) {
    for (const ClaimedJob& one : rest) {
      ASSERT_EQ(code_of(ack(one)), "ok");
      ++finished;
    }
  }
  EXPECT_EQ(finished.load(), 120);
  audit(true);
}

}  // namespace
}  // namespace baton::store::conformance
