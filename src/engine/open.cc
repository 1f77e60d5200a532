#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/impl.h"
#include "store/local/local_store.h"

namespace baton {
namespace engine {
namespace {

const base::Clock& system_clock() {
  static const base::SystemClock kClock;
  return kClock;
}

std::optional<Error> check_functions(const BackoffFunctions& functions) {
  for (const auto& [name, function] : functions) {
    if (name.empty()) {
      return Error{Code::kBadRequest, "a backoff function needs a name", "backoff_functions", {}};
    }
    if (function == nullptr) {
      return Error{Code::kBadRequest,
                   "there is no function behind the name " + name,
                   "backoff_functions",
                   {}};
    }
  }
  return std::nullopt;
}

Result<std::unique_ptr<store::Store>> open_store(std::string_view url, const base::Clock& clock,
                                                 const BackoffFunctions& functions,
                                                 bool accept_clock) {
  store::local::FileOptions options;
  options.clock = &clock;
  options.functions = functions;
  options.accept_clock = accept_clock;
  auto opened = store::local::open_store(url, options);
  if (!opened) {
    Error error = opened.error();
    if (error.code == Code::kBadRequest) error.field = "url";
    return error;
  }
  return std::move(*opened);
}

}  // namespace
}  // namespace engine

Result<std::unique_ptr<Engine>> Engine::open(std::string_view url, const EngineOptions& options) {
  if (auto refused = engine::check_functions(options.backoff_functions)) return *refused;
  auto store = engine::open_store(url, engine::system_clock(), options.backoff_functions,
                                  options.accept_clock);
  if (!store) return store.error();
  return engine::EngineAccess::make(*std::move(store), engine::system_clock());
}

}  // namespace baton
