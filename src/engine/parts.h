// What an Engine is made of. Tests and the server put one together from a store and a clock of
// their own; Engine::open does so from a URL.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "baton/engine.h"
#include "engine/alarm.h"
#include "engine/claim_line.h"
#include "engine/job_waits.h"
#include "engine/worker_registry.h"
#include "store/store.h"

namespace baton {

struct Engine::Parts {
  // The clock must outlive the parts.
  Parts(std::unique_ptr<store::Store> opened, const base::Clock& clock)
      : alarm(clock),
        store(std::move(opened)),
        workers(*store, clock),
        claims(*store, alarm, workers, clock),
        waits(*store, alarm) {
    store->watch({.kept =
                      [this](const auto& happenings) {
                        workers.happened(happenings);
                        waits.happened(happenings);
                      },
                  .made = [this](const auto& happenings) { claims.happened(happenings); }});
  }
  ~Parts() {
    closing = true;
    claims.close();
    waits.close();
    alarm.stop();
    store->watch({});
    // What the store still has to answer comes back into these, so it goes before them.
    store.reset();
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  engine::Alarm alarm;
  std::unique_ptr<store::Store> store;
  engine::WorkerRegistry workers;
  engine::ClaimLine claims;
  engine::JobWaits waits;
  std::atomic<bool> closing = false;  // nobody waits any more
};

namespace engine {

// Opens the store that the URL names. The clock must outlive it. Refused: bad_request for a URL
// that is not understood, and as the store refuses to be opened (`accept_clock`: see
// EngineOptions).
Result<std::unique_ptr<store::Store>> open_store(std::string_view url, const base::Clock& clock,
                                                 const BackoffFunctions& functions,
                                                 bool accept_clock);

}  // namespace engine
}  // namespace baton
