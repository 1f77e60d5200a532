// The Machine under a steady load, for its benchmark: turns that are timed, jobs that wait, and
// rounds of submit, claim and ack that keep their number. One thread.
#pragma once

#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/local/machine/empty_archive.h"
#include "store/local/machine/machine.h"

namespace baton::store::local::bench {

inline constexpr std::size_t kRound = 1024;  // operations between two looks at the clock
inline constexpr std::size_t kTurn = 256;    // commands in a turn, unless the turns are the subject
inline constexpr std::size_t kStretch = 16;  // rounds on one Machine before the next has its turn
inline constexpr std::int64_t kMany = 1'000'000;

inline double cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// Bytes that malloc has handed out and not got back.
inline double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

// Bytes of this process that are in memory.
inline double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A Machine with a time of its own, which rises by a millisecond a turn.
struct Subject {
  using Turns = std::vector<std::vector<Command>>;

  // Runs the turns and adds the CPU time that they took.
  std::vector<Answer> run(Turns turns, double& ns) {
    std::vector<Turn> made;
    made.reserve(turns.size());
    const double begin = cpu_ns();
    for (std::vector<Command>& commands : turns) {
      now = now + base::milliseconds(1);
      made.push_back(machine.turn(std::move(commands), now, random));
    }
    ns += cpu_ns() - begin;
    std::vector<Answer> answers;
    for (Turn& turn : made)
      std::move(turn.answers.begin(), turn.answers.end(), std::back_inserter(answers));
    return answers;
  }

  Time now{1'700'000'000'000};
  base::Random random{1};
  EmptyArchive archive;
  Machine machine{archive};
};

template <class Expected>
const Expected& expect(const Answer& answer) {
  if (const auto* error = std::get_if<Error>(&answer)) {
    std::fprintf(stderr, "bench_machine: refused: %s\n", error->message.c_str());
    std::exit(1);
  }
  return std::get<Expected>(answer);
}

inline std::shared_ptr<Submission> submission(std::string type) {
  auto made = std::make_shared<Submission>();
  made->type = std::move(type);
  made->payload = "{}";
  return made;
}

inline Command submit_of(std::shared_ptr<const Submission> job) {
  SubmitBatch batch;
  batch.jobs.push_back(std::move(job));
  return batch;
}

inline Command claim_of(const std::vector<std::string>& types) {
  ClaimRequest request;
  request.queues = {"default"};
  request.types = types;
  request.worker = "w";
  return request;
}

inline Command ack_of(const store::ClaimedJob& claimed) {
  WorkCall call;
  call.call = AckCall{};
  call.execution = claimed.execution;
  call.token = claimed.facts.execution.token;
  return call;
}

// `count` commands in turns of `size`, each made by `make(index)`.
template <class Make>
Subject::Turns turns_of(std::size_t count, std::size_t size, Make make) {
  Subject::Turns turns;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % size == 0) turns.emplace_back().reserve(size);
    turns.back().push_back(make(i));
  }
  return turns;
}

// Adds jobs in batches of 1,000; `make(index)` gives each submission. The mean time of a job.
template <class Make>
double fill(Subject& subject, std::int64_t count, Make make) {
  double ns = 0;
  for (std::int64_t done = 0; done < count;) {
    SubmitBatch batch;
    for (; done < count && batch.jobs.size() < lifecycle::kMaxBatch; ++done)
      batch.jobs.push_back(make(done));
    std::vector<Command> commands;
    commands.emplace_back(std::move(batch));
    Subject::Turns turns;
    turns.push_back(std::move(commands));
    const auto answers = subject.run(std::move(turns), ns);
    if (expect<SubmitAnswer>(answers.front()).refused) std::exit(1);
  }
  return ns / static_cast<double>(count);
}

struct Verbs {
  double submit = 0;
  double claim = 0;
  double ack = 0;
};

// A Machine at one depth, and the work that keeps it there.
class Load {
 public:
  Load(std::shared_ptr<const Submission> job, std::vector<std::string> types, std::size_t turn)
      : job_(std::move(job)), types_(std::move(types)), turn_(turn) {}

  // Submits, claims and acknowledges as many jobs, so that the depth stays.
  void round() {
    const auto submitted = timed(submit_, [&](std::size_t) { return submit_of(job_); });
    for (const Answer& answer : submitted)
      if (!expect<SubmitAnswer>(answer).results.at(0).ok()) std::exit(1);
    const auto claimed = timed(claim_, [&](std::size_t) { return claim_of(types_); });
    const auto acked = timed(ack_, [&](std::size_t i) {
      return ack_of(expect<ClaimAnswer>(claimed[i]).executions.at(0));
    });
    for (const Answer& answer : acked)
      expect<store::CallAnswer>(answer);
  }

  Verbs verbs() const { return {median(submit_), median(claim_), median(ack_)}; }

  Subject subject;

 private:
  template <class Make>
  std::vector<Answer> timed(std::vector<double>& times, Make make) {
    double ns = 0;
    auto answers = subject.run(turns_of(kRound, turn_, make), ns);
    times.push_back(ns / static_cast<double>(kRound));
    return answers;
  }

  std::shared_ptr<const Submission> job_;
  std::vector<std::string> types_;  // of the claims; empty: any
  std::size_t turn_;
  std::vector<double> submit_;
  std::vector<double> claim_;
  std::vector<double> ack_;
};

struct Filled {
  double ns = 0;  // for each job
  double heap = 0;
  double resident = 0;
};

// Adds waiting jobs and says what one of them costs.
inline Filled fill_to(Load& load, std::int64_t depth,
                      const std::shared_ptr<const Submission>& job) {
  const double heap_before = heap_bytes();
  const double resident_before = resident_bytes();
  const auto jobs = static_cast<double>(std::max<std::int64_t>(depth, 1));
  Filled filled;
  filled.ns = fill(load.subject, depth, [&](std::int64_t) { return job; });
  filled.heap = (heap_bytes() - heap_before) / jobs;
  filled.resident = (resident_bytes() - resident_before) / jobs;
  return filled;
}

}  // namespace baton::store::local::bench
