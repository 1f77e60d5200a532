#include "lifecycle/payload_class.h"

#include <gtest/gtest.h>

#include "lifecycle/limits.h"

namespace baton::lifecycle {
namespace {

TEST(PayloadClass, DoublesFromOneToTheNext) {
  EXPECT_EQ(payload_class_of(0), 0);
  EXPECT_EQ(payload_class_of(16384), 0);
  EXPECT_EQ(payload_class_of(16385), 1);
  EXPECT_EQ(payload_class_of(32768), 1);
  EXPECT_EQ(payload_class_of(32769), 2);
  EXPECT_EQ(payload_class_of(kMaxPayloadBytes), 10);
  EXPECT_EQ(largest_of(10), kMaxPayloadBytes);
}

TEST(PayloadClass, AThousandSmallOnesFitIntoOneClaim) {
  EXPECT_LE(kMaxBatch * largest_of(0), kMaxClaimBytes);
}

}  // namespace
}  // namespace baton::lifecycle
