// How much of a turn a command takes: what its jobs or calls count for, and the bytes it brings.
// Pure. Internal to the folder.
#pragma once

#include <cstddef>

#include "store/local/machine/machine.h"

namespace baton::store::local {

struct CommandSize {
  std::size_t count = 1;
  std::size_t bytes = 0;
};

CommandSize size_of(const Command& command);

}  // namespace baton::store::local
