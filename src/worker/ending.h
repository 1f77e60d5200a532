// How a handler ended, and how the store is told. The tables of this folder are here: what is
// thrown and what is reported, what a refusal means for a report. Pure, but for running the
// handler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "baton/context.h"
#include "baton/work_source.h"
#include "baton/worker.h"

namespace baton::worker {

struct Ending {
  enum class Kind { kResult, kFailure, kRejected, kCancelled, kReleased };
  Kind kind = Kind::kResult;
  std::optional<Outcome> result = {};
  Failure failure = {};     // kFailure; of kRejected and kReleased the message
  Duration retry_after{0};  // kFailure; kReleased: the delay
};

// Calls the handler; whatever it throws is an ending too.
Ending run(const Handler& handler, Context& context);

// Nobody has a handler for this type. Cannot happen while claims are limited to those that have.
Ending no_handler(const std::string& type);

// The report of an ending, or nothing when there is none to make: a result whose lease is lost is
// dropped, never reported as success.
std::optional<WorkCall> report_of(Ending ending, const Claimed& claimed, StopReason reason,
                                  std::vector<std::shared_ptr<const Submission>> children);

// What an error means for a call that was answered with it.
enum class Meaning {
  kAgain,    // the store is away: the same call later
  kGone,     // the execution is not ours any more
  kRefused,  // this call will never be taken
};
Meaning meaning_of(Code code);

// What to report instead of a call that was refused, while the lease still holds; nothing when the
// plainest form was refused too.
std::optional<WorkCall> instead_of(const WorkCall& refused, const Error& error);

}  // namespace baton::worker
