#include "lifecycle/idempotency.h"

#include "base/sha256.h"

namespace baton::lifecycle {
namespace {

const std::int64_t kMinuteMs = 60'000;

// A made key: the account, the whole payload and the minute. Lengths keep neighbours apart.
std::string made_key(const Submission& submission, std::int64_t minute) {
  std::string text = std::to_string(submission.account.size()) + ":" + submission.account + ":" +
                     std::to_string(minute) + ":";
  text += submission.payload;
  return "auto:" + base::hex(base::sha256(text));
}

bool wants_made_key(const Submission& submission, const Profile& profile) {
  switch (submission.idempotency) {
    case Idempotency::kAuto:
      return true;
    case Idempotency::kNone:
      return false;
    case Idempotency::kByProfile:
      return profile.policy.key_default == KeyDefault::kAuto;
  }
  return false;
}

}  // namespace

std::vector<KeyLookup> keys_of(const Submission& submission, const QueueSettings& queue, Time now) {
  const Duration window = queue.idempotency_window;
  if (submission.idempotency_key) return {{*submission.idempotency_key, window}};
  if (!wants_made_key(submission, profile_of(queue))) return {};
  const std::int64_t minute = now.ms / kMinuteMs;
  // The minute before counts only for a job younger than a minute: two clicks across its edge.
  return {{made_key(submission, minute), window},
          {made_key(submission, minute - 1), Duration{kMinuteMs}}};
}

bool keeps_key(const Profile& profile, JobState state) {
  const bool failed = is_bad_ending(state) && state != JobState::kRejected;
  return !(failed && profile.policy.failed_frees_key);
}

}  // namespace baton::lifecycle
