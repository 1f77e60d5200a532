// File descriptors of the process: as many as the system lets it have, and some of them kept for
// the store, whose next log segment must not fail because clients have all of them. Any thread.
#pragma once

#include <cstddef>

namespace baton::server {

// Raises the soft limit to the hard one; how many there are then.
std::size_t raise_descriptor_limit();
// How many there may be now.
std::size_t descriptor_limit();

// How many connections may be served, and how many beyond them told that they are too many, with so
// many descriptors: 64 and a tenth are kept for everything else.
struct ConnectionLimits {
  std::size_t served = 0;
  std::size_t turned_away = 0;
};
ConnectionLimits connections_for(std::size_t descriptors);

}  // namespace baton::server
