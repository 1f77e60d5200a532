// How an error of the file system is told to a person. Pure; any thread.
#pragma once

#include <string_view>

#include "baton/result.h"

namespace baton::base {

// store_unavailable: "cannot <operation> <file>: <reason>". `number` is a value of errno.
Error disk_error(std::string_view operation, std::string_view file, int number);
Error disk_error(std::string_view operation, std::string_view file, std::string_view reason);

// Whether such an error is for want of space.
bool is_disk_full(const Error& error);

}  // namespace baton::base
