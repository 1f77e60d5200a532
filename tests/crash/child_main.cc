// Opens a directory, puts it under load from several threads, and tells on its standard output what
// it asks for and what was acknowledged (protocol.h), until it is killed.
//
//   crash_child DIRECTORY SEED FIRST
//
// Jobs are numbered from FIRST on.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "blocking.h"
#include "protocol.h"
#include "store/local/local_store.h"
#include "store/work_call.h"

namespace baton::crash {
namespace {

constexpr int kProducers = 2;
constexpr int kWorkers = 3;

class Load {
 public:
  Load(store::Store& store, std::int64_t first) : store_(store), next_(first) {}

  void produce(std::uint64_t seed) {
    base::Random random(seed);
    while (true)
      submit(1 + random.below(4));
  }

  void work(std::uint64_t seed) {
    base::Random random(seed);
    while (true) {
      ClaimRequest request;
      request.queues = {"default"};
      request.max = static_cast<int>(1 + random.below(4));
      request.worker = "w" + std::to_string(seed);
      request.lease = base::milliseconds(1'000 + static_cast<std::int64_t>(random.below(4'000)));
      const auto claimed =
          blocking<store::ClaimAnswer>([&](auto done) { store_.claim(request, std::move(done)); });
      if (!claimed) fail("claim", claimed.error());
      for (const store::ClaimedJob& one : claimed->executions)
        say("claimed " + to_string(one.execution));
      for (const store::ClaimedJob& one : claimed->executions)
        finish(one, random.below(100));
      if (claimed->executions.empty()) std::this_thread::yield();
    }
  }

 private:
  [[noreturn]] static void fail(const char* what, const Error& error) {
    std::fprintf(stderr, "crash_child: %s: %s\n", what, error.message.c_str());
    std::_Exit(2);
  }

  void say(const std::string& text) {
    const std::string line = text + "\n";
    const std::lock_guard lock(output_);
    if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      std::_Exit(3);
    }
  }

  void submit(std::uint64_t count) {
    store::SubmitBatch batch;
    const std::int64_t first = next_.fetch_add(static_cast<std::int64_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t n = first + static_cast<std::int64_t>(i);
      auto spec = std::make_shared<Submission>();
      spec->type = n % 3 == 0 ? "a" : "b";
      spec->payload = payload_of(n);
      spec->idempotency_key = "job " + std::to_string(n);
      spec->retry.initial = base::milliseconds(1);
      spec->retry.max_attempts = 100;
      if (n % 7 == 0) spec->delay = base::milliseconds(20);
      batch.jobs.push_back(std::move(spec));
      say("submit " + std::to_string(n));
    }
    const auto answer = blocking<store::SubmitAnswer>(
        [&](auto done) { store_.submit(std::move(batch), std::move(done)); });
    if (!answer) fail("submit", answer.error());
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto& one = answer->results[i];
      if (!one) fail("submit", one.error());
      say("submitted " + std::to_string(first + static_cast<std::int64_t>(i)) + " " +
          to_string(one->id));
    }
  }

  // Most jobs end at once, some in two steps, some stay committed, some fail, some are forgotten.
  void finish(const store::ClaimedJob& claimed, std::uint64_t chance) {
    if (chance < 60) {
      call(claimed, CallKind::kAck);
    } else if (chance < 75) {
      call(claimed, CallKind::kStart);
      if (call(claimed, CallKind::kCommit)) call(claimed, CallKind::kDone);
    } else if (chance < 85) {
      call(claimed, CallKind::kStart);
      call(claimed, CallKind::kCommit);
    } else if (chance < 95) {
      call(claimed, CallKind::kNack);
    }
  }

  bool call(const store::ClaimedJob& claimed, CallKind kind) {
    WorkCall call;
    call.call = store::blank_call(kind);
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    const std::string execution = to_string(claimed.execution);
    const std::string verb(name(kind));
    const Outcome result{result_of(execution), "application/json"};
    if (auto* commit = std::get_if<CommitCall>(&call.call)) commit->result = result;
    if (auto* ack = std::get_if<AckCall>(&call.call)) ack->result = result;
    if (auto* nack = std::get_if<NackCall>(&call.call)) nack->failure.message = "try again";
    say(verb + " " + execution);
    const auto answers = blocking<std::vector<Result<store::CallAnswer>>>(
        [&](auto done) { store_.work({call}, std::move(done)); });
    if (!answers) fail("work", answers.error());
    const auto& answer = answers->front();
    if (answer) {
      say(verb + "! " + execution);
    } else {
      say("refused " + verb + " " + execution + " " + std::string(name(answer.error().code)));
    }
    return answer.ok();
  }

  store::Store& store_;
  std::atomic<std::int64_t> next_;
  std::mutex output_;

 public:
  void run(std::uint64_t seed) {
    say("ready");
    std::vector<std::thread> threads;
    for (int i = 0; i < kProducers; ++i)
      threads.emplace_back([this, seed, i] { produce(seed * 10 + static_cast<std::uint64_t>(i)); });
    for (int i = kProducers; i < kProducers + kWorkers; ++i)
      threads.emplace_back([this, seed, i] { work(seed * 10 + static_cast<std::uint64_t>(i)); });
    for (std::thread& thread : threads)
      thread.join();
  }
};

}  // namespace
}  // namespace baton::crash

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: crash_child DIRECTORY SEED FIRST\n");
    return 64;
  }
  const baton::base::SystemClock clock;
  baton::store::local::FileOptions options;
  options.clock = &clock;
  options.directory = argv[1];
  options.segment_bytes = 1 << 20;
  const auto opened = baton::store::local::open_file_store(options);
  if (!opened) {
    std::fprintf(stderr, "crash_child: %s\n", opened.error().message.c_str());
    return 1;
  }
  baton::crash::Load load(**opened, std::atoll(argv[3]));
  load.run(std::strtoull(argv[2], nullptr, 10));
}
