#include <string>

#include "engine/convert.h"
#include "engine/parts.h"
#include "store/local/local_store.h"

namespace baton {
namespace engine {
namespace {

Error not_understood(std::string_view url) {
  return {.code = Code::kBadRequest,
          .message = "\"" + std::string(url) +
                     "\" names no store; understood are \"memory:\" and \"file:DIR\"",
          .field = "url"};
}

const base::Clock& system_clock() {
  static const base::SystemClock kClock;
  return kClock;
}

}  // namespace

Result<std::unique_ptr<store::Store>> open_store(std::string_view url, const base::Clock& clock,
                                                 const BackoffFunctions& functions) {
  constexpr std::string_view kFile = "file:";
  if (url == "memory:") return store::local::open_memory_store({.clock = &clock});
  if (!url.starts_with(kFile) || url.size() == kFile.size()) return not_understood(url);
  store::local::FileOptions options;
  options.clock = &clock;
  options.directory = url.substr(kFile.size());
  options.functions = {functions.all().begin(), functions.all().end()};
  auto opened = store::local::open_file_store(options);
  if (!opened) return from_store(opened.error());
  return std::move(*opened);
}

}  // namespace engine

Result<std::unique_ptr<Engine>> Engine::open(std::string_view url, const EngineOptions& options) {
  auto functions = engine::BackoffFunctions::make(options.backoff_functions);
  if (!functions) return functions.error();
  auto store = engine::open_store(url, engine::system_clock(), *functions);
  if (!store) return store.error();
  return std::make_unique<Engine>(
      std::make_unique<Parts>(*std::move(store), engine::system_clock(), *std::move(functions)));
}

}  // namespace baton
