#include "base/random.h"

#include <sys/random.h>
#include <sys/types.h>

namespace baton::base {

void system_random(void* bytes, std::size_t size) {
  auto* out = static_cast<unsigned char*>(bytes);
  while (size > 0) {
    const ssize_t got = getrandom(out, size, 0);
    BATON_ASSERT(got > 0);
    out += got;
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace baton::base
