#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace baton::base {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "baton: bug: assertion failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace baton::base
