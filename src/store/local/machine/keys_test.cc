#include "store/local/machine/keys.h"

#include <gtest/gtest.h>

namespace baton::store::local {
namespace {

class KeysTest : public testing::Test {
 protected:
  base::Random random_{3};
  JobId first_ = make_job_id(random_);
  JobId second_ = make_job_id(random_);
  Key key_ = make_key("mail", "k1");
  Keys keys_;
};

TEST_F(KeysTest, AKeyHoldsUntilExactlyItsEnd) {
  keys_.hold(key_, {first_, Time{1'000}, Time{2'000}});
  ASSERT_NE(keys_.find(key_, Time{1'999}), nullptr);
  EXPECT_EQ(keys_.find(key_, Time{1'999})->job, first_);
  EXPECT_EQ(keys_.find(key_, Time{1'999})->created_at, Time{1'000});
  EXPECT_EQ(keys_.find(key_, Time{2'000}), nullptr);
}

TEST_F(KeysTest, TypesAndTextsAreKeptApart) {
  EXPECT_NE(make_key("mail", "k1"), make_key("mail", "k2"));
  EXPECT_NE(make_key("mail", "k1"), make_key("mai", "lk1"));
  EXPECT_EQ(make_key("mail", "k1"), key_);
  keys_.hold(key_, {first_, Time{1}, Time{9}});
  EXPECT_EQ(keys_.find(make_key("post", "k1"), Time{2}), nullptr);
}

TEST_F(KeysTest, OnlyTheHolderReleasesIt) {
  keys_.hold(key_, {first_, Time{1}, Time{9}});
  keys_.release(key_, second_);
  EXPECT_NE(keys_.find(key_, Time{2}), nullptr);
  keys_.release(key_, first_);
  EXPECT_EQ(keys_.find(key_, Time{2}), nullptr);
  keys_.release(key_, first_);
}

TEST_F(KeysTest, SweepForgetsWhatHasEndedAndNothingElse) {
  keys_.hold(key_, {first_, Time{1}, Time{10}});
  keys_.hold(make_key("mail", "later"), {second_, Time{1}, Time{20}});
  keys_.sweep(Time{9}, 64);
  EXPECT_EQ(keys_.size(), 2U);
  keys_.sweep(Time{10}, 64);
  EXPECT_EQ(keys_.size(), 1U);
  EXPECT_NE(keys_.find(make_key("mail", "later"), Time{19}), nullptr);
}

TEST_F(KeysTest, SweepSparesAKeyThatAnotherJobTookMeanwhile) {
  keys_.hold(key_, {first_, Time{1}, Time{10}});
  keys_.hold(key_, {second_, Time{11}, Time{30}});
  keys_.sweep(Time{12}, 64);
  ASSERT_NE(keys_.find(key_, Time{12}), nullptr);
  EXPECT_EQ(keys_.find(key_, Time{12})->job, second_);
}

TEST_F(KeysTest, SweepGoesOnWithTheNextFewEachTime) {
  for (int i = 0; i < 100; ++i) {
    keys_.hold(make_key("mail", std::to_string(i)), {first_, Time{1}, Time{10}});
  }
  keys_.sweep(Time{10}, 64);
  EXPECT_EQ(keys_.size(), 36U);
  keys_.sweep(Time{10}, 64);
  EXPECT_EQ(keys_.size(), 0U);
}

// Keys were forgotten in the order in which they were taken: one of a year held up all others.
TEST_F(KeysTest, AKeyOfAYearHoldsUpNobody) {
  keys_.hold(make_key("mail", "year"), {first_, Time{1}, Time{1'000'000}});
  for (int i = 0; i < 50; ++i)
    keys_.hold(make_key("mail", std::to_string(i)), {first_, Time{1}, Time{10 + 49 - i}});
  keys_.sweep(Time{29}, 64);
  EXPECT_EQ(keys_.size(), 31U);
  keys_.sweep(Time{100}, 64);
  EXPECT_EQ(keys_.size(), 1U);
  EXPECT_NE(keys_.find(make_key("mail", "year"), Time{100}), nullptr);
}

TEST_F(KeysTest, MemoryOfKeysThatAreGoneIsGivenBack) {
  std::vector<Key> keys;
  for (int i = 0; i < 20'000; ++i) {
    keys.push_back(make_key("mail", std::to_string(i)));
    keys_.hold(keys.back(), {first_, Time{1}, Time{1'000 + i}});
  }
  for (std::size_t i = 0; i < 20'000; i += 2)
    keys_.release(keys[i], first_);
  EXPECT_EQ(keys_.size(), 10'000U);
  keys_.sweep(Time{20'000}, 9'500);
  EXPECT_LT(keys_.room(), 4'000U);
  for (int i = 0; i < 20'000; ++i) {
    const bool held = i % 2 == 1 && i > 19'000;
    EXPECT_EQ(keys_.find(keys[static_cast<std::size_t>(i)], Time{2}) != nullptr, held) << i;
  }
}

}  // namespace
}  // namespace baton::store::local
