// Bytes to and from a server, in the clear or not. A call waits until its deadline at most. One
// thread at a time, but for what an Interrupt does to the descriptor.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "baton/result.h"
#include "client/deadline.h"

namespace baton::client {

class Stream {
 public:
  virtual ~Stream() = default;

  // Sends all of it. store_unavailable: the other side is gone, or the time is over.
  virtual Status send(std::string_view bytes, Deadline deadline) = 0;
  // How many bytes came, at least one; 0 when the other side has ended. store_unavailable likewise.
  virtual Result<std::size_t> receive(std::span<char> into, Deadline deadline) = 0;
  // Whether the other side has neither sent anything nor ended since it was last asked: only then
  // may the next request go out here.
  virtual bool quiet() = 0;
  virtual int descriptor() const = 0;
};

}  // namespace baton::client
