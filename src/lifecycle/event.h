// Everything that can happen to a job, one struct each. A store turns commands and timers into
// events and hands them to decide(). Text is borrowed: views must stay valid while the change that
// decide() returns is in use.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "lifecycle/dependency.h"
#include "lifecycle/job.h"

namespace baton::lifecycle {

struct FailureView {
  FailureCategory category = FailureCategory::kTemporary;
  std::string_view code;
  std::string_view message;
  std::string_view cause;

  friend bool operator==(const FailureView&, const FailureView&) = default;
};

// A submission that passed validation becomes a job.
struct Create {
  const Terms* terms = nullptr;
  Priority priority = Priority::kNormal;
  bool draft = false;
  Duration delay{};
  Time not_before;
  Verdict dependencies = Verdict::ready();
  Amount cost = 0;  // already reserved
  bool has_callback = false;
  bool has_account = false;
  std::uint8_t payload_class = 0;
};

// A draft is submitted.
struct Submit {
  Verdict dependencies = Verdict::ready();
};

// The dependencies of a PENDING job have decided.
struct DependenciesSettled {
  Verdict verdict = Verdict::ready();
};

// What can fall due, in the order in which it applies at one instant.
enum class Timer : std::uint8_t { kLifetime = 0, kDeadline = 1, kLease = 2, kWake = 3 };

struct TimerDue {
  Timer timer = Timer::kLifetime;
};

// A worker takes the job.
struct Claim {
  LeaseToken token;
  std::optional<Duration> lease;           // the worker's own wish; else the job's
  std::optional<Duration> max_lease = {};  // shortens what the job says; not with `lease`
};

// A call of a worker on its execution.
struct Call {
  CallKind kind = CallKind::kStart;
  int attempt = 0;   // which execution is meant
  LeaseToken token;  // what the caller shows
  // The token of the execution that is meant, when it is not the job's latest one: the store
  // reads it from the execution's row. Unset when there is no such row.
  std::optional<LeaseToken> former_token;
  std::optional<Duration> execution;    // start: a shorter execution timeout
  std::optional<int> progress;          // heartbeat
  bool brings_data = false;             // heartbeat: a message or a checkpoint comes with it
  FailureView failure;                  // nack; reject and release use the message
  std::optional<Duration> retry_after;  // nack
  std::optional<Duration> delay;        // release
};

// A client wants the job to end.
struct Cancel {
  bool force = false;
  std::string_view reason;
};

// Moderation by an operator, before the job runs.
struct Reject {
  std::string_view reason;
};

// A client changes what may be changed after creation.
struct Patch {
  std::optional<Priority> priority;
  std::optional<bool> has_callback;        // the callback address is set or taken away
  bool labels = false;                     // tags or correlation id change
  std::optional<std::int64_t> if_version;  // refuse unless the job still has this version
  std::optional<Time> run_at = {};         // another time to run, while it waits for one
};

// A copy of an ended job is to be made. The job itself stays as it is: which copy there is, and the
// version that rises with it, are kept beside it.
struct Redrive {
  JobId redriven_to = {};  // its newest copy so far; nil: none
  bool again = false;      // although there is one
};

// A terminal job and all of its records are to go.
struct Delete {};

// What is stored of the job cannot be read, so that the worker who claimed it gets nothing: the
// execution of that claim ends like one whose lease is lost.
struct Unreadable {
  int attempt = 0;  // which execution is meant
};

// A local store was opened again: an unfinished lease gets one full term.
struct Restart {};

using Event = std::variant<Create, Submit, DependenciesSettled, TimerDue, Claim, Call, Cancel,
                           Reject, Patch, Redrive, Delete, Unreadable, Restart>;

}  // namespace baton::lifecycle
