// What an Engine is made of. Tests and the server put one together from a store and a clock of
// their own; Engine::open does so from a URL.
#pragma once

#include <memory>
#include <string_view>

#include "base/clock.h"
#include "baton/engine.h"
#include "engine/backoff_functions.h"
#include "engine/waiters.h"
#include "store/store.h"

namespace baton {

struct Engine::Parts {
  // The clock must outlive the parts.
  Parts(std::unique_ptr<store::Store> opened, const base::Clock& clock,
        engine::BackoffFunctions functions)
      : backoff(std::move(functions)), waiters(clock), store(std::move(opened)) {}
  // The store answers whoever waits before it goes, and the waiters take that in.
  ~Parts() { waiters.close(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  engine::BackoffFunctions backoff;
  engine::Waiters waiters;
  std::unique_ptr<store::Store> store;
};

namespace engine {

// Opens the store that the URL names. The clock must outlive it. Refused: bad_request for a URL
// that is not understood, and as the store refuses to be opened.
Result<std::unique_ptr<store::Store>> open_store(std::string_view url, const base::Clock& clock,
                                                 const BackoffFunctions& functions);

}  // namespace engine
}  // namespace baton
