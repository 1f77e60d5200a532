#include "base/disk_error.h"

#include <cerrno>
#include <system_error>

namespace baton::base {

namespace {

constexpr std::string_view kNoSpace = "no space left on device";

}  // namespace

Error disk_error(std::string_view operation, std::string_view file, std::string_view reason) {
  std::string message = "cannot ";
  message.append(operation).append(" ").append(file).append(": ").append(reason);
  return {Code::kStoreUnavailable, std::move(message), {}, {}};
}

Error disk_error(std::string_view operation, std::string_view file, int number) {
  if (number == ENOSPC || number == EDQUOT) return disk_error(operation, file, kNoSpace);
  return disk_error(operation, file, std::generic_category().message(number));
}

bool is_disk_full(const Error& error) {
  return error.code == Code::kStoreUnavailable && error.message.ends_with(kNoSpace);
}

}  // namespace baton::base
