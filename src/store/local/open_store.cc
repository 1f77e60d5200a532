#include "store/local/local_store.h"

namespace baton::store::local {

Result<std::unique_ptr<Store>> open_store(std::string_view url, FileOptions options) {
  constexpr std::string_view kFile = "file:";
  if (url == "memory:") return open_memory_store(options);
  if (!url.starts_with(kFile) || url.size() == kFile.size()) {
    const std::string message =
        "\"" + std::string(url) + "\" names no store; understood are memory: and file:DIR";
    return Error{Code::kBadRequest, message, "store", {}};
  }
  options.directory = url.substr(kFile.size());
  return open_file_store(options);
}

}  // namespace baton::store::local
