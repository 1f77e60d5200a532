// What one decision writes: everything a store must apply, in one atomic step, and nothing else.
// Plain values; text is borrowed from the event (see event.h).
#pragma once

#include <cstdint>
#include <optional>

#include "base/inline_vector.h"
#include "lifecycle/event.h"
#include "lifecycle/job.h"

namespace baton::lifecycle {

// What must happen beside the rows, in the same atomic step.
enum class Effect : std::uint8_t {
  kCaptureCredits = 1 << 0,    // what the job held is spent
  kReleaseCredits = 1 << 1,    // what the job held goes back
  kMakeChildren = 1 << 2,      // staged and brought children become jobs
  kDropChildren = 1 << 3,      // staged children are forgotten
  kSettleDependents = 1 << 4,  // the job ended: look at those who wait for it
  kSendWebhook = 1 << 5,       // the job ended: tell its callback address
  kLeaveQuota = 1 << 6,        // the job ended: its account has one active job less
  kAuditSafeBlock = 1 << 7,    // moderation ended the job: a SAFE_BLOCK record
};

class Effects {
 public:
  void add(Effect effect) { bits_ = static_cast<std::uint8_t>(bits_ | bit(effect)); }
  bool has(Effect effect) const { return (bits_ & bit(effect)) != 0; }
  bool empty() const { return bits_ == 0; }
  friend bool operator==(Effects, Effects) = default;

 private:
  static std::uint8_t bit(Effect effect) { return static_cast<std::uint8_t>(effect); }
  std::uint8_t bits_ = 0;
};

struct Change {
  JobFacts job;                    // as it is after the change
  bool job_changed = false;        // the job's row differs from before
  bool execution_changed = false;  // job.execution is to be written
  bool result_stored = false;      // this commit's result is the job's result
  bool repeated = false;           // the call had been made before: answer it alike, write nothing
  bool durable = true;             // false: may be lost in a crash (a bare heartbeat)
  Amount credits = 0;              // the amount that kCaptureCredits or kReleaseCredits moves
  std::optional<FailureView> failure;            // the job's new last failure
  std::optional<FailureView> execution_failure;  // why job.execution was aborted
  // The failure is the cancel that was requested earlier: its message is that request's reason, if
  // it had one.
  bool cancelled_as_requested = false;
  bool failure_cleared = false;  // success: the job's last failure is forgotten
  base::InlineVector<HistoryEntry, 4> history;
  Effects effects;
};

// When the store must look at the job again by itself. Unset: nothing to wait for.
struct Timers {
  Time lifetime;
  Time next;  // the earliest of deadline, lease, delay and backoff

  friend bool operator==(const Timers&, const Timers&) = default;
};

// The timers of a job, from its facts alone.
Timers timers_of(const JobFacts& job);

}  // namespace baton::lifecycle
