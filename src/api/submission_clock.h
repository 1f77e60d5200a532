// Submissions are acknowledged within a limit of time, or answered with submission_timeout: whether
// the job was made is unknown then. One alarm for all that are under way, in the order in which
// they began. Any thread.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "engine/alarm.h"
#include "http/handler.h"

namespace baton::api {

// The answer to one submission, which the store and the clock may both want to give.
class PendingSubmission {
 public:
  explicit PendingSubmission(http::Responder responder) : responder_(std::move(responder)) {}

  // Only the first answer counts.
  void answer(http::Response response) {
    if (!answered_.exchange(true)) responder_.send(std::move(response));
  }
  void answer(std::function<http::Response()> make, std::size_t bytes = 0) {
    if (!answered_.exchange(true)) responder_.send(std::move(make), bytes);
  }
  bool answered() const { return answered_; }

 private:
  http::Responder responder_;
  std::atomic<bool> answered_ = false;
};

class SubmissionClock {
 public:
  SubmissionClock(engine::Alarm& alarm, const base::Clock& clock, Duration limit)
      : alarm_(alarm), clock_(clock), limit_(limit) {}
  ~SubmissionClock();
  SubmissionClock(const SubmissionClock&) = delete;
  SubmissionClock& operator=(const SubmissionClock&) = delete;

  std::shared_ptr<PendingSubmission> begin(http::Responder responder);

 private:
  struct Entry {
    Duration end;
    std::weak_ptr<PendingSubmission> pending;
  };

  void look();

  engine::Alarm& alarm_;
  const base::Clock& clock_;
  const Duration limit_;
  std::mutex mutex_;
  std::deque<Entry> entries_;   // guarded by mutex_
  engine::Alarm::Id next_ = 0;  // guarded by mutex_
};

}  // namespace baton::api
