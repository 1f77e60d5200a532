// A store on one machine: a thread owns the Machine, drains the commands that wait, applies them
// as one turn, makes the turn durable, and then completes all of them. `file:` has a log and a
// catalog in a directory; `memory:` has nothing to make durable and forgets everything when it is
// closed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "store/local/machine/machine.h"
#include "store/local/machine/tuning.h"
#include "store/store.h"

namespace baton::store::local {

struct LocalOptions {
  const base::Clock* clock = nullptr;  // required; must outlive the store
  std::uint64_t seed = 0;              // for tests; 0: what comes cannot be predicted
  BackoffFunctions functions = {};     // what Retry::function may name
  Tuning tuning = {};
  Machine::ReadWatcher reads = {};  // for tests: called on the store's own thread
};

// Where ids and lease tokens come from. A store that is opened again with the same seed must not
// give the same ones again: `salt` differs then.
base::Random random_of(const LocalOptions& options, std::uint64_t salt);

struct FileOptions : LocalOptions {
  std::string directory;                      // made when it is not there
  std::uint64_t segment_bytes = 16ULL << 20;  // of one file of the log
  // A wall clock more than 30 days after the last change is taken, though jobs live that it may
  // end.
  bool accept_clock = false;
  // Told what an operator should know of and what keeps nothing from working; may be unset.
  std::function<void(const std::string&)> notice;
};

// Where a directory's catalog is.
std::string catalog_path(const std::string& directory);

// Whether a file of a directory with this name is one that a store makes.
bool is_of_a_store(const std::string& name);

// Opens a store in a directory, which is this process's alone until the store is destroyed:
// conflict, naming the other process, when another has it. store_unavailable when the disk fails,
// what is on it is damaged, or the clock cannot be right (FileOptions::accept_clock). The
// destructor refuses what still waits with shutting_down.
Result<std::unique_ptr<Store>> open_file_store(const FileOptions& options);

// Opens a store that lives in memory only. The destructor refuses what still waits with
// shutting_down and joins the thread.
std::unique_ptr<Store> open_memory_store(const LocalOptions& options);

// Opens the store that a URL names: memory:, or file:DIR, whose directory goes into `options`.
// bad_request with the field "store" when it names none.
Result<std::unique_ptr<Store>> open_store(std::string_view url, FileOptions options);

}  // namespace baton::store::local
