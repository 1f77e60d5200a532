// The workbench of decide(): a change in the making. Every move goes through `move`, which accepts
// only rows of the transition table, so the pieces below cannot invent a step. Internal to the
// folder; one decision makes one Step and takes its change.
#pragma once

#include <cstdint>

#include "lifecycle/change.h"
#include "lifecycle/event.h"
#include "lifecycle/job.h"

namespace baton::lifecycle {

class Step {
 public:
  Step(const JobFacts& job, Actor actor, Time now, std::uint64_t random);

  JobFacts& job() { return change_.job; }
  ExecutionFacts& execution();  // marks the latest execution as changed
  Change& change() { return change_; }
  Time now() const { return now_; }

  // Whether the table has a row from here and the profile has the state it leads to.
  bool can_move(JobState to, Trigger trigger) const;

  // From PENDING, as the dependencies say.
  void apply_verdict(const Verdict& verdict);
  // A draft or a new job joins those that wait for their dependencies.
  void enter_pending(Trigger trigger, const Verdict& dependencies);
  void move(JobState to, Trigger trigger);
  // DELAYED or RETRYING is over.
  void wake();

  // Another time for a DELAYED or RETRYING job; one that is not ahead means now.
  void reschedule(Time run_at);

  // Opens and closes executions.
  void open_execution(const Claim& claim);
  void commit_execution();
  void finish_execution();
  // The execution is over without a commit; what the job becomes depends on the failure.
  void fail_execution(const FailureView& failure, Trigger cause, Duration wait);
  // The worker gives the job back: no failure, but it may be one release too many.
  void release_execution(std::string_view reason, Duration wait);
  // The same, but the job ends in `to` whatever the failure.
  void abort_and_end(const FailureView& failure, JobState to, Trigger trigger);

  // The job ends in a terminal state that is not COMPLETED.
  void end(const FailureView& failure, JobState to, Trigger trigger);

  // The cancel that was requested while the job ran takes effect.
  void abort_as_requested();

  // Something a reader can see changed: the version rises, once for each change.
  void touch();

  Change take();

 private:
  void abort_execution(const FailureView& failure);
  void end_as_requested();
  void bury(const FailureView& failure, JobState to, Trigger cause, Trigger trigger);
  void enter_retrying(Trigger cause);
  void wait_for_retry(Duration delay);
  void settle_credits(JobState ending);
  void close();

  Change change_;
  Actor actor_;
  Time now_;
  std::uint64_t random_;
  std::int64_t version_before_;
};

// The end of a lease that is taken or extended at `now`.
Time lease_end(const ExecutionFacts& execution, Time now);

}  // namespace baton::lifecycle
