#include "base/disk_error.h"

#include <cerrno>
#include <system_error>

namespace baton::base {

Error disk_error(std::string_view operation, std::string_view file, std::string_view reason) {
  std::string message = "cannot ";
  message.append(operation).append(" ").append(file).append(": ").append(reason);
  return {Code::kStoreUnavailable, std::move(message), {}, {}};
}

Error disk_error(std::string_view operation, std::string_view file, int number) {
  if (number == ENOSPC || number == EDQUOT)
    return disk_error(operation, file, "no space left on device");
  return disk_error(operation, file, std::generic_category().message(number));
}

}  // namespace baton::base
