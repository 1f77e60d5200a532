// Assertions that stay on in release builds. A refusal that a caller can cause is a value
// (see result.h); a broken assumption of our own is a bug, and it stops the process before the
// bug can reach the disk. May be used from any thread.
#pragma once

namespace baton::base {

// Prints the condition and its place to stderr, then aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace baton::base

#define BATON_ASSERT(condition)       \
  ((condition) ? static_cast<void>(0) \
               : ::baton::base::assertion_failed(#condition, __FILE__, __LINE__))
