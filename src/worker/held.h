// An execution in the hands of a worker: what was claimed, its lease, what the handler left to be
// sent, and why it should stop. The courier's thread, the store's and the handler's share one; the
// runtime's mutex guards all but what says otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "baton/context.h"
#include "baton/work_source.h"
#include "worker/lease.h"

namespace baton::worker {

// What the next heartbeat brings besides itself.
struct News {
  std::optional<int> progress = {};
  std::optional<std::string> message = {};
  std::optional<std::string> checkpoint = {};

  bool any() const { return progress || message || checkpoint; }
};

// Checkpoints of one execution are numbered from 1; whoever saved one waits for its number.
struct Checkpoints {
  std::int64_t wanted = 0;  // the latest that the handler asked for
  std::int64_t kept = 0;    // the latest that the store has
  std::int64_t failed = 0;  // the latest that it did not take, for this reason:
  Error error = {};
};

class Held {
 public:
  Held(Claimed claim, Instant from) : claimed(std::move(claim)), lease(claimed, from) {
    checkpoint = claimed.job.checkpoint;
  }

  const Claimed claimed;  // any thread
  Lease lease;
  News news;
  std::string checkpoint;  // what the store has
  Checkpoints checkpoints;
  std::vector<std::shared_ptr<const Submission>> children;
  std::optional<WorkCall> report;  // the handler has returned
  bool reporting = false;          // the report is under way
  bool tried = false;              // it was before, and was not answered
  Instant report_end{};            // when the report is dropped

  // Any thread. A reason is only replaced by a graver one.
  StopReason reason() const { return reason_.load(); }
  bool take_reason(StopReason reason) {
    StopReason before = reason_.load();
    while (before < reason) {
      if (reason_.compare_exchange_weak(before, reason)) return true;
    }
    return false;
  }
  // Runs the callbacks of the embedding program: never under a lock.
  void request_stop() { stop_.request_stop(); }
  std::stop_token stop_token() const { return stop_.get_token(); }

  // A report that goes out for the first time leaves its hand to the claim that goes with it.
  bool takes_a_hand() const { return !reporting || tried; }
  // The store has ended the execution, or may have: there is nothing left to keep.
  bool over() const { return reason() >= StopReason::kDeadline; }

 private:
  std::atomic<StopReason> reason_{StopReason::kNone};
  std::stop_source stop_;
};

}  // namespace baton::worker
