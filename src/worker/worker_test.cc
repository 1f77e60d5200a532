// Worker as a program uses it: on an engine in memory, with the real clock and nothing by hand.
#include "baton/worker.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

#include "baton/engine.h"

namespace baton {
namespace {

using namespace std::chrono_literals;

class WorkerTest : public testing::Test {
 protected:
  Job job_after(const JobId& id) { return engine_->wait(id, 1min).get()->job; }

  std::unique_ptr<Engine> engine_ = Engine::open("memory:").value();
};

TEST_F(WorkerTest, TakesWhateverAHandlerReturns) {
  Worker worker(*engine_, {.concurrency = 2});
  worker.on("nothing", [](Context&) {})
      .on("text", [](Context&) { return "[1]"; })
      .on("string", [](Context& job) { return job.payload() + "!"; })
      .on("outcome", [](Context&) { return Outcome{.bytes = "x", .content_type = "text/plain"}; })
      .on("perhaps", [](Context&) -> std::optional<Outcome> { return std::nullopt; });
  worker.start().value();
  const auto result_of = [&](const std::string& type) {
    const auto result =
        job_after(engine_->submit({.type = type, .payload = "in"}).get()->id).result;
    return result ? std::optional(*result) : std::nullopt;
  };
  EXPECT_EQ(result_of("text"), Outcome{.bytes = "[1]"});
  EXPECT_EQ(result_of("string"), Outcome{.bytes = "in!"});
  EXPECT_EQ(result_of("outcome"), (Outcome{.bytes = "x", .content_type = "text/plain"}));
  EXPECT_EQ(result_of("nothing"), std::nullopt);
  EXPECT_EQ(result_of("perhaps"), std::nullopt);
}

TEST_F(WorkerTest, LeavesJobsOfOtherTypesAlone) {
  const JobId other = engine_->submit({.type = "other"}).get()->id;
  Worker worker(*engine_);
  worker.on("mine", [](Context&) {});
  worker.start().value();
  EXPECT_EQ(job_after(engine_->submit({.type = "mine"}).get()->id).canonical_state,
            JobState::kCompleted);
  worker.drain();
  EXPECT_EQ(engine_->get(other).get()->attempt, 0);
}

TEST_F(WorkerTest, MayTakeJobsOfEveryType) {
  Worker worker(*engine_);
  worker.on("known", [](Context&) { return "\"known\""; }).on_any([](Context& job) {
    return "\"any " + job.job().spec->type + "\"";
  });
  worker.start().value();
  const auto result_of = [&](const std::string& type) {
    return job_after(engine_->submit({.type = type}).get()->id).result->bytes;
  };
  EXPECT_EQ(result_of("known"), "\"known\"");
  EXPECT_EQ(result_of("other"), "\"any other\"");
}

TEST_F(WorkerTest, HasANameOfItsOwnUnlessItIsGivenOne) {
  const auto worker_of = [&](WorkerOptions options) {
    Worker worker(*engine_, std::move(options));
    worker.on("t", [](Context&) {});
    worker.start().value();
    const JobId id = engine_->submit({.type = "t"}).get()->id;
    job_after(id);
    return engine_->executions(id).get()->at(0).worker;
  };
  EXPECT_EQ(worker_of({.name = "seven"}), "seven");
  const std::string made = worker_of({});
  EXPECT_FALSE(made.empty());
  EXPECT_NE(worker_of({}), made);
}

TEST_F(WorkerTest, ASecondHandlerReplacesTheFirst) {
  Worker worker(*engine_);
  worker.on("t", [](Context&) { return "1"; });
  worker.on("t", [](Context&) { return "2"; });
  worker.start().value();
  EXPECT_EQ(job_after(engine_->submit({.type = "t"}).get()->id).result->bytes, "2");
}

TEST_F(WorkerTest, RetriesAnExceptionAndThenSucceeds) {
  Worker worker(*engine_);
  worker.on("t", [](Context& job) {
    if (job.attempt() < 3) throw std::runtime_error("not yet");
    return std::to_string(job.attempt());
  });
  worker.start().value();
  const JobId id =
      engine_->submit({.type = "t", .retry = {.max_attempts = 3, .initial = 0ms}}).get()->id;
  EXPECT_EQ(job_after(id).result->bytes, "3");
  EXPECT_EQ(engine_->executions(id).get()->at(0).failure->message, "not yet");
}

TEST_F(WorkerTest, APermanentErrorEndsTheJob) {
  Worker worker(*engine_);
  worker.on("t", [](Context&) { throw PermanentError("no such user", "no_user"); });
  worker.start().value();
  const Job job = job_after(engine_->submit({.type = "t"}).get()->id);
  EXPECT_EQ(job.canonical_state, JobState::kFailed);
  EXPECT_EQ(job.last_error->code, "no_user");
}

TEST_F(WorkerTest, AChildThatCannotBeMadeFailsTheJob) {
  Worker worker(*engine_);
  worker.on("t", [](Context& job) { job.spawn({.type = ""}); });
  worker.start().value();
  const Job job = job_after(engine_->submit({.type = "t"}).get()->id);
  EXPECT_EQ(job.canonical_state, JobState::kFailed);
  EXPECT_EQ(job.last_error->code, "invalid_job");
  EXPECT_TRUE(job.children.empty());
}

TEST_F(WorkerTest, ChildrenAreMadeWithTheCommit) {
  Worker worker(*engine_);
  worker.on("parent", [](Context& job) {
    job.spawn({.type = "child"});
    job.spawn({.type = "child"});
  });
  worker.on("child", [](Context&) {});
  worker.start().value();
  const Job job = job_after(engine_->submit({.type = "parent"}).get()->id);
  ASSERT_EQ(job.children.size(), 2U);
  EXPECT_EQ(job_after(job.children[1]).parent, job.id);
}

TEST_F(WorkerTest, WorksThroughABacklogWithSeveralHands) {
  Batch batch;
  for (int i = 0; i < 500; ++i)
    batch.jobs.push_back({.type = "t"});
  const auto made = engine_->submit_batch(batch).get().value();
  Worker worker(*engine_, {.concurrency = 8});
  worker.on("t", [](Context&) {});
  worker.start().value();
  for (const auto& one : made)
    EXPECT_EQ(job_after(one->id).attempt, 1);
  worker.drain();
  EXPECT_EQ(worker.stats().completed, 500);
  EXPECT_EQ(worker.stats().dropped, 0);
}

TEST_F(WorkerTest, NeedNotBeStarted) {
  Worker worker(*engine_);
  worker.on("t", [](Context&) {});
  worker.drain();
  EXPECT_TRUE(worker.stop());
  EXPECT_EQ(worker.stats().claimed, 0);
}

}  // namespace
}  // namespace baton
