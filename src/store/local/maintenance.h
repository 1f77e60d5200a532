// What is done to a data directory from outside: a copy while it is in use or not, a copy brought
// back, and an examination. Nothing half-made is left behind. Errors are store_unavailable,
// conflict (in use, or something is there already) and not_found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/commands.h"

namespace baton::store::local {

struct BackupReport {
  Time as_of;  // the last change that is in the copy; unset when nothing ever changed
  std::uint64_t bytes = 0;
};

// Copies the directory's jobs to a new directory `target`. A store that is open goes on meanwhile;
// what it acknowledged in the last moments may not be in the copy.
base::Result<BackupReport> back_up(const std::string& directory, const std::string& target);

// Makes `directory` from a copy, which is examined first. There must be nothing in it yet.
base::Result<BackupReport> restore(const std::string& backup, const std::string& directory);

struct Examination {
  std::vector<std::string> findings;  // what is wrong; empty: nothing
  std::uint64_t turns = 0;            // that were ever kept
  Time last_change;                   // unset: never
  std::int64_t live_jobs = 0;
  std::vector<QueueView> queues;  // by name
  std::uint64_t bytes = 0;        // on the disk
};

// Recovers the directory as opening it would, and compares everything in it with everything else.
// Damage is a finding, not an error.
base::Result<Examination> examine(const std::string& directory);

}  // namespace baton::store::local
