#include <string>

#include "engine/convert.h"
#include "engine/parts.h"
#include "store/local/local_store.h"

namespace baton {
namespace engine {
namespace {

const base::Clock& system_clock() {
  static const base::SystemClock kClock;
  return kClock;
}

}  // namespace

Result<std::unique_ptr<store::Store>> open_store(std::string_view url, const base::Clock& clock,
                                                 const BackoffFunctions& functions,
                                                 bool accept_clock) {
  store::local::FileOptions options;
  options.clock = &clock;
  options.functions = {functions.all().begin(), functions.all().end()};
  options.accept_clock = accept_clock;
  auto opened = store::local::open_store(url, options);
  if (!opened) {
    Error error = opened.error();
    if (error.code == Code::kBadRequest) error.field = "url";
    return error;
  }
  return std::move(*opened);
}

}  // namespace engine

Result<std::unique_ptr<Engine>> Engine::open(std::string_view url, const EngineOptions& options) {
  auto functions = engine::BackoffFunctions::make(options.backoff_functions);
  if (!functions) return functions.error();
  auto store = engine::open_store(url, engine::system_clock(), *functions, options.accept_clock);
  if (!store) return store.error();
  return std::make_unique<Engine>(
      std::make_unique<Parts>(*std::move(store), engine::system_clock(), *std::move(functions)));
}

}  // namespace baton
