#include "base/counted_ref.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace baton::base {
namespace {

struct Value {
  std::shared_ptr<int> part;
  OwnerCount owners = {};

  friend bool operator==(const Value&, const Value&) = default;
};
using Ref = CountedRef<Value>;

TEST(CountedRef, TheValueGoesWithItsLastOwner) {
  auto part = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = part;
  Ref one = Ref::make({std::move(part)});
  EXPECT_TRUE(one.is_only());
  Ref two = one;
  EXPECT_FALSE(two.is_only());
  EXPECT_EQ(one, two);
  one = {};
  EXPECT_TRUE(two.is_only());
  EXPECT_EQ(*two->part, 7);
  const Ref three = std::move(two);
  EXPECT_TRUE(three.is_only());
  const Ref* const self = &three;
  two = *self;
  two = Ref::make({});
  EXPECT_FALSE(watched.expired());
  EXPECT_FALSE(two == three);
}

TEST(CountedRef, ItIsGoneAfterwards) {
  auto part = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = part;
  {
    const Ref one = Ref::make({std::move(part)});
    const Ref two = one;
  }
  EXPECT_TRUE(watched.expired());
}

TEST(CountedRef, AValueThatSomebodyElseOwnsStays) {
  const Value value{std::make_shared<int>(7)};
  {
    const Ref one = &value;
    const Ref two = one;
  }
  EXPECT_EQ(*value.part, 7);
  EXPECT_TRUE(value.owners.is_one());
}

TEST(CountedRef, ACopyOfAValueHasOwnersOfItsOwn) {
  const Ref one = Ref::make({std::make_shared<int>(7)});
  const Ref again = one;
  const Ref copy = Ref::make(*one);
  EXPECT_TRUE(copy.is_only());
  EXPECT_FALSE(one.is_only());
  EXPECT_TRUE(*copy == *one);
}

}  // namespace
}  // namespace baton::base
