// Every limit on what a caller may send, in one place. Sizes are in bytes, counts in items.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "baton/ids.h"
#include "baton/job.h"

namespace baton::lifecycle {

inline constexpr std::size_t kMaxTypeLength = 128;
inline constexpr std::size_t kMaxQueueLength = 128;
inline constexpr std::size_t kMaxKeyLength = 256;  // idempotency key, in characters
inline constexpr std::size_t kMaxTags = 64;
inline constexpr std::size_t kMaxTagKeyLength = 128;
inline constexpr std::size_t kMaxTagValueLength = 512;
inline constexpr std::size_t kMaxCorrelationLength = 256;
inline constexpr std::size_t kMaxCallbackLength = 2048;
inline constexpr std::size_t kMaxAccountLength = 256;
inline constexpr std::size_t kMaxTraceparentLength = 256;
inline constexpr std::size_t kMaxContentTypeLength = 256;
inline constexpr std::size_t kMaxWorkerLength = 256;
inline constexpr std::size_t kMaxFailureCodeLength = 128;
inline constexpr std::size_t kMaxFailureTextLength = 8192;  // message and cause, each
inline constexpr std::size_t kMaxMessageLength = 8192;      // of progress
inline constexpr std::size_t kMaxReasonLength = 8192;       // of a cancellation or rejection

inline constexpr std::size_t kMaxPayloadBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxResultBytes = kMaxPayloadBytes;
inline constexpr std::size_t kMaxCheckpointBytes = std::size_t{1} << 20;

using baton::kMaxAttempts;
inline constexpr std::size_t kMaxTableEntries = 100;
inline constexpr double kMinMultiplier = 1.0;
inline constexpr double kMaxMultiplier = 100.0;
inline constexpr Duration kMaxDelay = base::days(366);  // "a year", whichever year
inline constexpr Duration kMinLease = base::milliseconds(100);
inline constexpr Duration kMaxLease = base::hours(1);
inline constexpr Duration kMinTimeout = base::milliseconds(1);

inline constexpr std::size_t kMaxDependencies = 1000;
inline constexpr int kMaxDepth = 100;
using baton::kMaxBatch;

inline constexpr std::int64_t kMaxAmount = 1'000'000'000'000'000;

}  // namespace baton::lifecycle
