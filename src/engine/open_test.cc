#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "engine/driven_engine.h"

namespace baton::engine {
namespace {

TEST(Open, MemoryIsForgottenWhenItIsClosed) {
  auto engine = Engine::open("memory:").value();
  const JobId id = engine->submit({.type = "t"}).get()->id;
  EXPECT_EQ(code_of(engine->get(id).get()), "ok");
  engine = Engine::open("memory:").value();
  EXPECT_EQ(code_of(engine->get(id).get()), "not_found");
}

// A directory that is gone after the test.
class Directory {
 public:
  Directory() {
    std::string pattern = testing::TempDir() + "engine-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  std::string url() const { return "file:" + path_ + "/data"; }

 private:
  std::string path_;
};

TEST(Open, ADirectoryKeepsEverything) {
  const Directory directory;
  auto engine = Engine::open(directory.url()).value();
  const JobId id = engine->submit({.type = "t", .payload = "[1]"}).get()->id;
  engine.reset();
  engine = Engine::open(directory.url()).value();
  EXPECT_EQ(engine->get(id).get()->spec->payload, "[1]");
  const Claimed claimed = engine->claim({.queues = {"default"}, .worker = "w"}).get()->at(0);
  EXPECT_EQ(claimed.job.id, id);
  EXPECT_EQ(claimed.job.spec->payload, "[1]");
  EXPECT_EQ(code_of(engine->work({DrivenEngine::call_of(CallKind::kAck, claimed)}).get()->at(0)),
            "ok");
  EXPECT_EQ(engine->wait(id, 1min).get()->job.canonical_state, JobState::kCompleted);
  EXPECT_EQ(engine->list().get()->jobs.at(0).id, id);
}

TEST(Open, ADirectoryBelongsToOneEngine) {
  const Directory directory;
  auto engine = Engine::open(directory.url()).value();
  EXPECT_EQ(code_of(Engine::open(directory.url())), "conflict");
  engine.reset();
  EXPECT_EQ(code_of(Engine::open(directory.url())), "ok");
}

TEST(Open, ADirectoryRemembersBackoffFunctionsByName) {
  const Directory directory;
  const EngineOptions options{.backoff_functions = {{"squares", squares}}};
  const Retry retry{.strategy = Strategy::kFunction, .initial = 3s, .function = "squares"};
  auto engine = Engine::open(directory.url(), options).value();
  const JobId id = engine->submit({.type = "t", .retry = retry}).get()->id;
  engine.reset();
  EXPECT_EQ(code_of(Engine::open(directory.url())), "store_unavailable");
  engine = Engine::open(directory.url(), options).value();
  const Claimed claimed = engine->claim({.queues = {"default"}, .worker = "w"}).get()->at(0);
  EXPECT_EQ(code_of(engine->work({DrivenEngine::call_of(CallKind::kNack, claimed)}).get()->at(0)),
            "ok");
  const Job job = engine->get(id).get().value();
  EXPECT_EQ(job.run_at - job.updated_at, 3s);
}

TEST(Open, ADirectoryThatCannotBeMadeIsRefused) {
  EXPECT_EQ(code_of(Engine::open("file:/proc/nowhere")), "store_unavailable");
}

TEST(Open, KeepsTheTimeOfTheSystem) {
  auto engine = Engine::open("memory:").value();
  const JobId id = engine->submit({.type = "t"}).get()->id;
  EXPECT_GT(engine->get(id).get()->created_at, kStart);
}

TEST(Open, RefusesWhatItDoesNotUnderstandAndSaysWhatItDoes) {
  for (const std::string url : {"", "memory", "memory:x", "file:", "disk:a", "postgres://h/d"}) {
    const auto opened = Engine::open(url);
    EXPECT_EQ(code_of(opened), "bad_request") << url;
    EXPECT_EQ(opened.error().message,
              "\"" + url + "\" names no store; understood are memory: and file:DIR");
    EXPECT_EQ(opened.error().field, "url");
  }
}

}  // namespace
}  // namespace baton::engine
