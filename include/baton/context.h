// What a handler knows of the job that it runs and can do for it, and how it says what went wrong.
// A Context belongs to one execution and is valid until its handler returns; its members may be
// called from any thread until then.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "baton/job.h"
#include "baton/result.h"
#include "baton/work_source.h"

namespace baton {

namespace worker {
class Held;  // an execution in the hands of a worker
class Runtime;
}  // namespace worker

// ---- What a handler may throw -----------------------------------------------------------------

// Another attempt may succeed. Any other exception counts as this one, with its what() as message.
class TemporaryError : public std::runtime_error {
 public:
  // `retry_after` is respected when it is longer than the job's own backoff.
  explicit TemporaryError(const std::string& message, Duration retry_after = {})
      : std::runtime_error(message), retry_after_(retry_after) {}
  Duration retry_after() const { return retry_after_; }

 private:
  Duration retry_after_;
};

// No attempt will succeed. The code is for programs: "no_such_user".
class PermanentError : public std::runtime_error {
 public:
  PermanentError(const std::string& message, std::string code)
      : std::runtime_error(message), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

// Moderation refuses the job; only profiles with that state take it.
class RejectedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The job is given back without a failure, to be run again by any worker after `delay`. The first
// hundred releases of a job spend no attempt (in profile lease each does).
class Released : public std::runtime_error {
 public:
  explicit Released(const std::string& reason, Duration delay = {})
      : std::runtime_error(reason), delay_(delay) {}
  Duration delay() const { return delay_; }

 private:
  Duration delay_;
};

// The handler stopped because its context was cancelled.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("the handler stopped as it was asked to") {}
};

// ---- What a handler is given ------------------------------------------------------------------

// Why a handler should stop, the graver reason later: one may be replaced by a graver one.
enum class StopReason : std::uint8_t {
  kNone = 0,
  kCancelRequested = 1,  // somebody cancelled the job; a result that is reported now still counts
  kWorkerStops = 2,      // the job will be given back; a result still counts
  kDeadline = 3,         // the execution timeout is over, and the store has ended the execution
  kLeaseLost = 4,        // another worker may have the job by now; the result will be dropped
};

class Context {
 public:
  Context(worker::Runtime& runtime, worker::Held& held);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Job& job() const;
  const std::string& payload() const;
  const ExecutionId& execution_id() const;
  int attempt() const;  // 1 for the first
  // What the job depended on, and what that left behind (see baton/work_source.h).
  const std::vector<DependencyResult>& dependency_results() const;

  // Whether the handler should stop, and why. The token is for waiting and for callbacks.
  bool cancelled() const;
  StopReason stop_reason() const;
  std::stop_token stop_token() const;
  // Throws Cancelled if the handler should stop.
  void throw_if_cancelled() const;
  // What is left until the execution timeout; never negative.
  Duration time_left() const;

  // Shows progress, 0 to 100, to whoever looks at the job. Returns at once; of several in a hurry
  // only the last is sent. What lies outside is moved to the nearest end.
  void progress(int percent, std::string message = {});

  // Keeps `bytes` for the next attempt, should this one fail, in place of what was kept before.
  // Returns when they are durable. Refused: stale_lease when the lease is lost; store_unavailable
  // when the store is away and the worker stops; what the store says otherwise.
  Status save_checkpoint(std::string bytes);
  // What was kept last, by an earlier attempt or by this one; empty when nothing was.
  std::string checkpoint() const;

  // A child job. Children are made together with the commit of this execution, or not at all; a
  // child that cannot be made makes the execution fail. At most 1,000.
  void spawn(Submission child);

 private:
  worker::Runtime& runtime_;
  worker::Held& held_;
};

}  // namespace baton
