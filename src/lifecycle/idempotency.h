// What makes two submissions one. A key belongs to a job type and lives for the window of the
// submitting queue, counted from the job's creation. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baton/queue.h"
#include "lifecycle/profile.h"

namespace baton::lifecycle {

// A key to look up; the job it finds counts while it is younger than `max_age`.
struct KeyLookup {
  std::string key;
  Duration max_age{};

  friend bool operator==(const KeyLookup&, const KeyLookup&) = default;
};

// What a submission is to be compared with, the key under which its job is kept first. Empty:
// nothing, every submission is a job of its own.
std::vector<KeyLookup> keys_of(const Submission& submission, const QueueSettings& queue, Time now);

// Whether a job in this state still answers for its key.
bool keeps_key(const Profile& profile, JobState state);

}  // namespace baton::lifecycle
