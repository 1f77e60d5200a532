// What is done to a data directory from outside: a copy while it is in use or not, a copy brought
// back, and an examination. Nothing half-made is left behind. Errors are store_unavailable,
// conflict (in use, or something is there already) and not_found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "baton/result.h"
#include "store/commands.h"

namespace baton::store::local {

struct BackupReport {
  Time as_of;  // the last change that is in the copy; unset when nothing ever changed
  std::uint64_t bytes = 0;
  std::vector<std::string> findings;  // what is wrong with the copy, where that was asked for
};

// Copies the directory's jobs to a new directory `target`: everything that was acknowledged before
// the call, and what came meanwhile or not. A store that is open goes on; one that is not is only
// read. What is damaged, or does not belong together, is refused, unless `damaged` asks for as much
// as can be read.
Result<BackupReport> back_up(const std::string& directory, const std::string& target,
                             bool damaged = false);

// Makes `directory` from a copy, which is examined first. There must be nothing in it yet.
Result<BackupReport> restore(const std::string& backup, const std::string& directory);

struct Examination {
  std::vector<std::string> findings;  // what is wrong; empty: nothing
  std::vector<std::string> notes;     // what is to be known and not wrong
  std::size_t affected_jobs = 0;      // that the findings name; after a hundred there may be more
  bool counted = false;               // else it could not be opened, and what follows is not known
  std::uint64_t turns = 0;            // that were ever kept
  Time last_change;                   // unset: never
  std::int64_t live_jobs = 0;
  std::vector<Queue> queues;  // by name
  std::uint64_t bytes = 0;    // on the disk
};

// Recovers a copy of the directory as opening it would, elsewhere, and compares everything in it
// with everything else. Nothing is written to the directory itself. Damage is a finding, not an
// error; store_unavailable when there is no room for the copy.
Result<Examination> examine(const std::string& directory);

}  // namespace baton::store::local
