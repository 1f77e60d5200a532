#include "baton/pending.h"

#include <cstdio>
#include <cstdlib>

namespace baton::pending {
namespace {

// Not the other way round: where all thread-local variables begin as zero, mold 1.10 makes programs
// that, depending on their layout, cannot be loaded.
thread_local bool outside = true;

[[noreturn]] void stop(const char* sentence) {
  std::fputs(sentence, stderr);
  std::abort();
}

}  // namespace

InCompletion::InCompletion() : before_(std::exchange(outside, false)) {}
InCompletion::~InCompletion() { outside = before_; }

void check_may_block() {
  if (!outside) stop("baton: a blocking call was made inside a completion; use then() there\n");
}

void used_twice() { stop("baton: the answer of a call was asked for twice\n"); }

}  // namespace baton::pending
