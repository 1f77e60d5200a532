// The words that programs see are those of the core, number by number.
#include "baton/words.h"

#include <gtest/gtest.h>

#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "baton/result.h"
#include "lifecycle/event.h"
#include "lifecycle/ledger.h"
#include "lifecycle/quota.h"
#include "lifecycle/submission.h"

namespace baton {
namespace {

using Names = std::vector<std::string_view>;

template <class Outer>
Names outer_names() {
  return {kNames<Outer>.begin(), kNames<Outer>.end()};
}

template <class Inner>
Names inner_names() {
  const std::span<const std::string_view> all = lifecycle::names(Inner{});
  return {all.begin(), all.end()};
}

TEST(Words, AreThoseOfTheCore) {
  EXPECT_EQ(outer_names<JobState>(), inner_names<lifecycle::JobState>());
  EXPECT_EQ(outer_names<ExecutionStatus>(), inner_names<lifecycle::ExecutionStatus>());
  EXPECT_EQ(outer_names<FailureCategory>(), inner_names<lifecycle::FailureCategory>());
  EXPECT_EQ(outer_names<ErrorType>(), inner_names<lifecycle::ErrorType>());
  EXPECT_EQ(outer_names<FailureIs>(), inner_names<lifecycle::FailureIs>());
  EXPECT_EQ(outer_names<Priority>(), inner_names<lifecycle::Priority>());
  EXPECT_EQ(outer_names<Strategy>(), inner_names<lifecycle::Strategy>());
  EXPECT_EQ(outer_names<Jitter>(), inner_names<lifecycle::Jitter>());
  EXPECT_EQ(outer_names<DependencyType>(), inner_names<lifecycle::DependencyType>());
  EXPECT_EQ(outer_names<Actor>(), inner_names<lifecycle::Actor>());
  EXPECT_EQ(outer_names<Trigger>(), inner_names<lifecycle::Trigger>());
  EXPECT_EQ(outer_names<Tier>(), inner_names<lifecycle::Tier>());
  EXPECT_EQ(outer_names<PostingKind>(), inner_names<lifecycle::PostingKind>());
}

TEST(Words, OfCallsAreThoseOfTheCoreButForAssets) {
  Names inner = inner_names<lifecycle::CallKind>();
  ASSERT_EQ(inner.size(), outer_names<CallKind>().size() + 1);
  inner.pop_back();
  EXPECT_EQ(outer_names<CallKind>(), inner);
}

TEST(Words, ForKeysHaveTheNumbersOfTheCore) {
  EXPECT_EQ(static_cast<int>(Idempotency::kByProfile),
            static_cast<int>(lifecycle::KeyMode::kUnset));
  EXPECT_EQ(static_cast<int>(Idempotency::kAuto), static_cast<int>(lifecycle::KeyMode::kAuto));
  EXPECT_EQ(static_cast<int>(Idempotency::kNone), static_cast<int>(lifecycle::KeyMode::kNone));
}

TEST(Words, OfRefusalsAreThoseOfBase) {
  ASSERT_EQ(kCodeNames.size(), static_cast<std::size_t>(base::kCodeCount));
  for (int i = 0; i < base::kCodeCount; ++i)
    EXPECT_EQ(name(static_cast<Code>(i)), base::code_name(static_cast<base::Code>(i)));
}

TEST(Words, OfTerminalStatesAreThoseOfTheCore) {
  for (std::size_t i = 0; i < kNames<JobState>.size(); ++i) {
    EXPECT_EQ(is_terminal(static_cast<JobState>(i)),
              lifecycle::is_terminal(static_cast<lifecycle::JobState>(i)));
  }
}

TEST(Words, AreReadBackExactly) {
  EXPECT_EQ(parse<JobState>("DEAD_LETTER"), JobState::kDeadLetter);
  EXPECT_EQ(parse<JobState>("dead_letter"), std::nullopt);
  EXPECT_EQ(parse<JobState>(""), std::nullopt);
  EXPECT_EQ(parse<Priority>("BULK"), Priority::kBulk);
  EXPECT_EQ(name(Jitter::kTenPercent), "ten_percent");
}

TEST(PublicResult, GivesItsValue) {
  Result<int> result(7);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(*result, 7);
  *result = 8;
  EXPECT_EQ(result.value(), 8);
  EXPECT_EQ(*std::move(result), 8);
  EXPECT_THROW(static_cast<void>(Result<int>(1).error()), std::bad_variant_access);
}

TEST(PublicResult, ThrowsItsErrorWhenThereIsNoValue) {
  const Result<int> result(Error{.code = Code::kStaleLease, .message = "too late"});
  EXPECT_FALSE(result);
  try {
    static_cast<void>(result.value());
    FAIL() << "there was a value";
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.error(), result.error());
    EXPECT_STREQ(refused.what(), "stale_lease: too late");
  }
}

}  // namespace
}  // namespace baton
