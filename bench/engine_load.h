// What the engine's benchmark does to a store: loops of commands that are always outstanding, and
// fillings. Times are wall time. One benchmark at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace baton::store::local::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "bench_engine: %s\n", what.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result) fail(result.error().message);
  return std::move(result).value();
}

template <class Answer, class Call>
Answer blocking(Call&& call) {
  std::promise<Result<Answer>> promise;
  auto future = promise.get_future();
  std::forward<Call>(call)(
      Done<Answer>([&promise](Result<Answer> answer) { promise.set_value(std::move(answer)); }));
  return must(future.get());
}

inline std::shared_ptr<const Submission> small_job() {
  static const auto job = [] {
    auto made = std::make_shared<Submission>();
    made->type = "mail";
    made->payload = R"({"to":"someone@example.com","template":"welcome","language":"en","n":1234})";
    return std::shared_ptr<const Submission>(made);
  }();
  return job;
}

// Resident memory of this process, in bytes.
inline double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double resident = 0;
  file >> size >> resident;
  return resident * 4096;
}

// So many commands are outstanding at every moment: each lane submits a job, claims one and
// acknowledges it, over and over, and sends the next command when the last one is answered.
class Lanes {
 public:
  Lanes(Store& store, int lanes) : store_(store), lanes_(lanes), latencies_(kKept) {}

  // Operations a second.
  double run(double seconds) {
    done_ = 0;
    running_ = lanes_;
    stopping_ = false;
    const auto start = Clock::now();
    for (int i = 0; i < lanes_; ++i)
      submit();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    const double rate = static_cast<double>(done_.load()) / seconds_since(start);
    stopping_ = true;
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
    return rate;
  }

  // Milliseconds that acknowledgements took.
  double latency(double share) {
    std::vector<double> all(
        latencies_.begin(),
        latencies_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(measured_, kKept)));
    if (all.empty()) return 0;
    std::sort(all.begin(), all.end());
    return all[std::min(all.size() - 1,
                        static_cast<std::size_t>(share * static_cast<double>(all.size())))];
  }

 private:
  static constexpr std::size_t kKept = 1 << 20;

  bool over() {
    if (!stopping_) return false;
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) idle_.notify_one();
    return true;
  }

  void submit() {
    if (over()) return;
    SubmitBatch batch;
    batch.jobs = {small_job()};
    store_.submit(std::move(batch), [this](Result<SubmitAnswer> answer) {
      must(std::move(answer));
      ++done_;
      claim();
    });
  }

  void claim() {
    if (over()) return;
    ClaimRequest request;
    request.queues = {"default"};
    request.worker = "bench";
    store_.claim(std::move(request), [this](Result<ClaimAnswer> answer) {
      const ClaimAnswer claimed = must(std::move(answer));
      ++done_;
      if (claimed.executions.empty()) return submit();
      ack(claimed.executions.front());
    });
  }

  void ack(const store::ClaimedJob& claimed) {
    WorkCall call;
    call.call = AckCall{};
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    const auto start = Clock::now();
    store_.work({std::move(call)},
                [this, start](Result<std::vector<Result<store::CallAnswer>>> answers) {
                  must(must(std::move(answers)).front());
                  latencies_[measured_++ % kKept] = seconds_since(start) * 1000;
                  ++done_;
                  submit();
                });
  }

  Store& store_;
  int lanes_;
  std::atomic<std::int64_t> done_{0};
  std::atomic<bool> stopping_{false};
  std::vector<double> latencies_;
  std::atomic<std::size_t> measured_{0};
  std::mutex mutex_;
  std::condition_variable idle_;
  int running_ = 0;
};

// Batches of jobs through their whole life, several batches at a time.
class Flow {
 public:
  static constexpr int kBatch = 64;

  Flow(Store& store, int width) : store_(store), width_(width) {}

  void start() {
    running_ = width_;
    for (int i = 0; i < width_; ++i)
      submit();
  }
  std::int64_t jobs() const { return jobs_.load(); }
  void stop() {
    stopping_ = true;
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void submit() {
    if (stopping_) {
      const std::lock_guard lock(mutex_);
      if (--running_ == 0) idle_.notify_one();
      return;
    }
    SubmitBatch batch;
    batch.jobs.assign(kBatch, small_job());
    store_.submit(std::move(batch), [this](Result<SubmitAnswer> answer) {
      must(std::move(answer));
      claim();
    });
  }

  void claim() {
    ClaimRequest request;
    request.queues = {"default"};
    request.worker = "bench";
    request.max = kBatch;
    store_.claim(std::move(request),
                 [this](Result<ClaimAnswer> answer) { ack(must(std::move(answer))); });
  }

  void ack(const ClaimAnswer& claimed) {
    std::vector<WorkCall> calls;
    for (const store::ClaimedJob& one : claimed.executions) {
      WorkCall call;
      call.call = AckCall{};
      call.execution = one.execution;
      call.token = one.facts.execution.token;
      calls.push_back(std::move(call));
    }
    store_.work(std::move(calls), [this](Result<std::vector<Result<store::CallAnswer>>> answers) {
      jobs_ += static_cast<std::int64_t>(must(std::move(answers)).size());
      submit();
    });
  }

  Store& store_;
  int width_;
  std::atomic<std::int64_t> jobs_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable idle_;
  int running_ = 0;
};

}  // namespace baton::store::local::bench
