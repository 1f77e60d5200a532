// What becomes of a lack of memory. On a thread that only reads it costs the one request; where it
// may leave half of a change behind, the store fails in good order. It never ends the process by
// itself. Any thread.
#pragma once

#include <new>
#include <utility>

#include "baton/result.h"

namespace baton::store::local {

// store_unavailable.
inline Error out_of_memory() {
  return {Code::kStoreUnavailable, "there is not enough memory", {}, {}};
}

// What `body` gives, or out_of_memory().
template <class T, class Body>
Result<T> unless_out_of_memory(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

// Calls what answers a request. When memory lacks even for that, this one request gets no answer.
template <class Call, class... Arguments>
void call_or_drop(const Call& call, Arguments&&... arguments) {
  try {
    call(std::forward<Arguments>(arguments)...);
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace baton::store::local
