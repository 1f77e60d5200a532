// A worker and an engine together, on one clock that stands still until a test turns it.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>

#include "base/eventually.h"
#include "engine/driven_engine.h"
#include "worker/runtime.h"

namespace baton {
namespace {

using base::eventually;
using engine::DrivenEngine;
using engine::kStart;
using worker::Runtime;
using Nothing = std::optional<Outcome>;
using namespace std::chrono_literals;

// A handler that stays until the test lets it go or its context is cancelled.
struct Stay {
  std::promise<void> begun;
  std::atomic<bool> leave{false};

  void stay(Context& context) {
    begun.set_value();
    EXPECT_TRUE(eventually([&] { return leave.load() || context.cancelled(); }));
  }
};

class WorkerOnEngine : public testing::Test {
 protected:
  std::shared_ptr<Runtime> work(Handler handler, const base::Clock& clock,
                                const std::string& name = "w") {
    auto runtime = std::make_shared<Runtime>(
        *engine_, WorkerOptions{.name = name, .queues = {"default", "special"}}, clock, 1);
    runtime->add("t", std::move(handler));
    runtime->start().value();
    return runtime;
  }
  std::shared_ptr<Runtime> work(Handler handler) {
    return work(std::move(handler), engine_.clock());
  }
  JobId submit(Submission job = {}) {
    job.type = "t";
    return engine_->submit(std::move(job)).get()->id;
  }
  // Time passes for the store and for the worker.
  void advance(Runtime& runtime, Duration by) {
    engine_.advance(by);
    runtime.wake();
  }
  Job job(const JobId& id) { return engine_->get(id).get().value(); }
  void wait_for(const JobId& id, JobState state) {
    EXPECT_TRUE(eventually([&] { return job(id).canonical_state == state; }))
        << "the job is " << name(job(id).canonical_state);
  }

  DrivenEngine engine_;
};

TEST_F(WorkerOnEngine, HeartbeatsKeepALeaseForAsLongAsTheHandlerTakes) {
  Stay stay;
  auto runtime = work([&](Context& context) -> Nothing {
    stay.stay(context);
    return Outcome{.bytes = "kept"};
  });
  const JobId id = submit({.timeouts = {.lease = 30s}});
  stay.begun.get_future().get();
  for (int i = 0; i < 10; ++i) {
    advance(*runtime, 10s);
    ASSERT_TRUE(eventually([&] {
      return engine_->executions(id).get()->at(0).lease_expires_at == engine_.now() + 30s;
    }));
  }
  stay.leave = true;
  wait_for(id, JobState::kCompleted);
  EXPECT_EQ(job(id).result->bytes, "kept");
  EXPECT_EQ(job(id).attempt, 1);
  runtime->drain();
}

TEST_F(WorkerOnEngine, AWorkerThatStoodStillCommitsNothing) {
  const base::ManualClock stalled{Time{1}};
  Stay stay;
  auto first = work(
      [&](Context& context) -> Nothing {
        stay.stay(context);
        return Outcome{.bytes = "late"};
      },
      stalled, "stalled");
  const JobId id = submit({.timeouts = {.lease = 30s}});
  stay.begun.get_future().get();
  engine_.advance(30s);
  auto second = work([](Context&) -> Nothing { return Outcome{.bytes = "in time"}; },
                     engine_.clock(), "quick");
  wait_for(id, JobState::kCompleted);
  stay.leave = true;
  first->drain();
  second->drain();
  EXPECT_EQ(job(id).result->bytes, "in time");
  EXPECT_EQ(first->stats().dropped, 1);
  EXPECT_EQ(first->stats().completed, 0);
  EXPECT_EQ(second->stats().completed, 1);
  const auto executions = engine_->executions(id).get().value();
  ASSERT_EQ(executions.size(), 2U);
  EXPECT_EQ(executions[0].status, ExecutionStatus::kAborted);
  EXPECT_EQ(executions[0].worker, "stalled");
  EXPECT_EQ(executions[1].status, ExecutionStatus::kDone);
}

TEST_F(WorkerOnEngine, ACancelEndsWithTheHandlersConfirmation) {
  Stay stay;
  auto runtime = work([&](Context& context) -> Nothing {
    stay.stay(context);
    context.throw_if_cancelled();
    return std::nullopt;
  });
  const JobId id = submit({.timeouts = {.lease = 30s}});
  stay.begun.get_future().get();
  EXPECT_EQ(engine_->cancel({.id = id}).get()->canonical_state, JobState::kRunning);
  advance(*runtime, 10s);
  wait_for(id, JobState::kCancelled);
  runtime->drain();
  EXPECT_EQ(runtime->stats().cancelled, 1);
}

TEST_F(WorkerOnEngine, AForcedCancelTakesTheLeaseAway) {
  Stay stay;
  auto runtime = work([&](Context& context) -> Nothing {
    stay.stay(context);
    EXPECT_EQ(context.stop_reason(), StopReason::kLeaseLost);
    return Outcome{.bytes = "late"};
  });
  const JobId id = submit({.timeouts = {.lease = 30s}});
  stay.begun.get_future().get();
  engine_->cancel({.id = id, .force = true}).get().value();
  advance(*runtime, 10s);
  runtime->drain();
  EXPECT_EQ(job(id).canonical_state, JobState::kCancelled);
  EXPECT_EQ(job(id).result, nullptr);
  EXPECT_EQ(runtime->stats().dropped, 1);
}

TEST_F(WorkerOnEngine, TheDeadlineEndsTheExecutionInTheStoreAndInTheHandler) {
  Stay stay;
  auto runtime = work([&](Context& context) -> Nothing {
    stay.stay(context);
    EXPECT_EQ(context.stop_reason(), StopReason::kDeadline);
    return Outcome{.bytes = "late"};
  });
  const JobId id = submit({.timeouts = {.execution = 5s, .lease = 30s}});
  stay.begun.get_future().get();
  advance(*runtime, 5s);
  runtime->drain();
  EXPECT_EQ(job(id).last_error->category, FailureCategory::kTimeout);
  EXPECT_EQ(job(id).canonical_state, JobState::kRetrying);
  EXPECT_EQ(job(id).result, nullptr);
  EXPECT_EQ(runtime->stats().dropped, 1);
}

TEST_F(WorkerOnEngine, ARetryWaitsAsLongAsTheHandlerAsksFor) {
  auto runtime = work([](Context&) -> Nothing { throw TemporaryError("busy", 1min); });
  const JobId id = submit();
  wait_for(id, JobState::kRetrying);
  EXPECT_EQ(job(id).run_at, kStart + 1min);
  EXPECT_EQ(job(id).last_error->message, "busy");
  runtime->drain();
}

TEST_F(WorkerOnEngine, AFailureIsReportedEvenWhereAWaitCannotBeAskedFor) {
  engine_->set_queue({.name = "special", .profile = "document"}).get().value();
  auto runtime = work([](Context&) -> Nothing { throw TemporaryError("busy", 1min); });
  const JobId id = submit({.queue = "special"});
  wait_for(id, JobState::kRetrying);
  EXPECT_EQ(job(id).run_at, kStart + 1s);
  EXPECT_EQ(job(id).last_error->message, "busy");
  runtime->drain();
}

TEST_F(WorkerOnEngine, ACheckpointReachesTheNextAttempt) {
  std::promise<std::string> found;
  auto runtime = work([&](Context& context) -> Nothing {
    if (context.attempt() == 2) {
      found.set_value(context.checkpoint());
      return std::nullopt;
    }
    context.progress(40, "reading");
    context.save_checkpoint("page 4").value();
    throw TemporaryError("power cut");
  });
  const JobId id = submit();
  wait_for(id, JobState::kRetrying);
  EXPECT_EQ(job(id).progress, 40);
  EXPECT_EQ(job(id).progress_message, "reading");
  advance(*runtime, 1s);
  EXPECT_EQ(found.get_future().get(), "page 4");
  runtime->drain();
}

TEST_F(WorkerOnEngine, AHandlerMayRejectWhereThatIsPossible) {
  engine_->set_queue({.name = "special", .profile = "generation"}).get().value();
  auto runtime = work([](Context&) -> Nothing { throw RejectedError("unsafe"); });
  const JobId moderated = submit({.queue = "special", .account = "a"});
  wait_for(moderated, JobState::kRejected);
  // Elsewhere it is a failure that no retry mends.
  const JobId plain = submit();
  wait_for(plain, JobState::kFailed);
  EXPECT_EQ(job(plain).last_error->message, "unsafe");
  runtime->drain();
}

TEST_F(WorkerOnEngine, AChildThatDoesNotFitNowIsTriedAgain) {
  engine_->set_queue({.name = "full", .max_pending = 0}).get().value();
  auto runtime = work([](Context& context) -> Nothing {
    context.spawn({.type = "child", .queue = "full"});
    return std::nullopt;
  });
  const JobId id = submit();
  wait_for(id, JobState::kRetrying);
  EXPECT_EQ(job(id).last_error->code, "queue_full");
  engine_->set_queue({.name = "full", .max_pending = 1}).get().value();
  advance(*runtime, 1s);
  wait_for(id, JobState::kCompleted);
  EXPECT_EQ(job(id).children.size(), 1U);
  runtime->drain();
}

TEST_F(WorkerOnEngine, AWorkerThatIsStoppedGivesItsJobsBack) {
  Stay stay;
  auto runtime = work([&](Context& context) -> Nothing {
    stay.stay(context);
    EXPECT_TRUE(context.save_checkpoint("so far").ok());
    context.throw_if_cancelled();
    return std::nullopt;
  });
  const JobId id = submit();
  stay.begun.get_future().get();
  EXPECT_FALSE(runtime->stop(0s));
  EXPECT_EQ(job(id).canonical_state, JobState::kScheduled);
  EXPECT_FALSE(job(id).last_error.has_value());
  EXPECT_EQ(job(id).release_count, 1);
  EXPECT_EQ(job(id).checkpoint, "so far");
}

TEST_F(WorkerOnEngine, ADrainedWorkerTakesNothingMore) {
  auto runtime = work([](Context&) { return std::nullopt; });
  const JobId first = submit();
  wait_for(first, JobState::kCompleted);
  runtime->drain();
  const JobId second = submit();
  EXPECT_EQ(job(second).attempt, 0);
  EXPECT_EQ(runtime->stats().claimed, 1);
}

}  // namespace
}  // namespace baton
