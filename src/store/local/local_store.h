// A store on one machine: a thread owns the Machine, drains the commands that wait, applies them
// as one turn, makes the turn durable, and then completes all of them. `memory:` has nothing to
// make durable and forgets everything when it is closed.
#pragma once

#include <memory>

#include "base/clock.h"
#include "store/store.h"

namespace baton::store::local {

struct LocalOptions {
  const base::Clock* clock = nullptr;  // required; must outlive the store
  std::uint64_t seed = 0;              // 0: from the system's random source
};

// Opens a store that lives in memory only. The destructor refuses what still waits with
// shutting_down and joins the thread.
std::unique_ptr<Store> open_memory_store(const LocalOptions& options);

}  // namespace baton::store::local
