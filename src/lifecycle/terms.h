// What a job was promised when it was submitted: its profile, and the settings of claim, job, queue
// and profile resolved once. Many jobs share one value; it never changes under them, and stays as
// long as anything refers to it.
#pragma once

#include "base/counted_ref.h"
#include "lifecycle/profile.h"
#include "lifecycle/retry.h"
#include "lifecycle/states.h"

namespace baton::lifecycle {

struct Terms {
  const Profile* profile = nullptr;
  RetryPolicy retry;
  Duration lease{};
  Duration execution{};
  Duration lifetime{};
  FailureIs timeout_is = FailureIs::kTemporary;
  FailureIs system_is = FailureIs::kTemporary;
  base::OwnerCount owners = {};

  friend bool operator==(const Terms&, const Terms&) = default;
};

using TermsRef = base::CountedRef<Terms>;

}  // namespace baton::lifecycle
