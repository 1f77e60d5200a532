// What stands behind an Engine. Tests put one together on a store and a clock of their own;
// Engine::open does so from a URL.
#pragma once

#include <memory>
#include <utility>

#include "base/clock.h"
#include "baton/engine.h"
#include "engine/running_store.h"
#include "store/store.h"

namespace baton {

struct Engine::Impl {
  Impl(std::unique_ptr<store::Store> store, const base::Clock& clock)
      : running(std::move(store), clock) {}

  engine::RunningStore running;
};

namespace engine {

// The way in to an Engine's private parts.
struct EngineAccess {
  // The clock must outlive the engine.
  static std::unique_ptr<Engine> make(std::unique_ptr<store::Store> store,
                                      const base::Clock& clock) {
    return std::unique_ptr<Engine>(
        new Engine(std::make_unique<Engine::Impl>(std::move(store), clock)));
  }
  static RunningStore& running(Engine& engine) { return engine.impl_->running; }
};

}  // namespace engine
}  // namespace baton
