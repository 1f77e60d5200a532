#include "base/uuid.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace baton::base {
namespace {

Uuid counting() {
  Uuid uuid;
  for (std::size_t i = 0; i < 16; ++i)
    uuid.bytes[i] = static_cast<std::uint8_t>(i);
  return uuid;
}

void expect_version_4(const Uuid& uuid) {
  EXPECT_EQ(uuid.bytes[6] >> 4, 4) << to_string(uuid);
  EXPECT_EQ(uuid.bytes[8] >> 6, 2) << to_string(uuid);
}

TEST(Uuid, TheSameSourceMakesTheSameId) {
  Random random(1);
  EXPECT_EQ(to_string(make_uuid(random)), "c15c0289-ec2d-4a91-a7ec-8e65a18debbe");
  EXPECT_NE(make_uuid(random), make_uuid(random));
}

TEST(Uuid, EveryMadeIdIsVersion4OfRfc4122) {
  Random random(7);
  std::set<Uuid> seen;
  for (int i = 0; i < 1'000; ++i) {
    const Uuid uuid = make_uuid(random);
    expect_version_4(uuid);
    seen.insert(uuid);
  }
  EXPECT_EQ(seen.size(), 1'000U);
}

TEST(Uuid, TheSystemMakesVersion4Too) {
  const Uuid one = make_system_uuid();
  const Uuid two = make_system_uuid();
  expect_version_4(one);
  expect_version_4(two);
  EXPECT_NE(one, two);
}

TEST(Uuid, TheOtherBitsStayRandom) {
  Random random(3);
  Uuid set_once;
  Uuid clear_once;
  for (int i = 0; i < 200; ++i) {
    const Uuid uuid = make_uuid(random);
    for (std::size_t b = 0; b < 16; ++b) {
      set_once.bytes[b] = static_cast<std::uint8_t>(set_once.bytes[b] | uuid.bytes[b]);
      clear_once.bytes[b] = static_cast<std::uint8_t>(clear_once.bytes[b] | ~uuid.bytes[b]);
    }
  }
  EXPECT_EQ(to_string(set_once), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  EXPECT_EQ(to_string(clear_once), "ffffffff-ffff-bfff-7fff-ffffffffffff");
}

TEST(Uuid, FormatsInLowerCaseWithFourDashes) {
  EXPECT_EQ(to_string(counting()), "00010203-0405-0607-0809-0a0b0c0d0e0f");
  EXPECT_EQ(to_string(Uuid{}), "00000000-0000-0000-0000-000000000000");
}

TEST(Uuid, ParsesWhatItFormats) {
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    const Uuid uuid = make_uuid(random);
    EXPECT_EQ(parse_uuid(to_string(uuid)), uuid);
  }
  EXPECT_EQ(parse_uuid("00010203-0405-0607-0809-0a0b0c0d0e0f"), counting());
}

TEST(Uuid, ParsesEitherCase) {
  EXPECT_EQ(parse_uuid("ABCDEFab-cdef-4123-8456-789ABCDEF012"),
            parse_uuid("abcdefab-cdef-4123-8456-789abcdef012"));
  ASSERT_TRUE(parse_uuid("ABCDEFab-cdef-4123-8456-789ABCDEF012"));
}

TEST(Uuid, RefusesAnythingElse) {
  const std::string good = "00010203-0405-0607-0809-0a0b0c0d0e0f";
  EXPECT_FALSE(parse_uuid(""));
  EXPECT_FALSE(parse_uuid(good.substr(0, 35)));
  EXPECT_FALSE(parse_uuid(good + "0"));
  EXPECT_FALSE(parse_uuid(good.substr(1)));
  EXPECT_FALSE(parse_uuid("{" + good.substr(0, 34) + "}"));
}

TEST(Uuid, RefusesAMissingOrMisplacedDash) {
  const std::string good = "00010203-0405-0607-0809-0a0b0c0d0e0f";
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) {
    std::string bad = good;
    bad[dash] = '0';
    EXPECT_FALSE(parse_uuid(bad)) << bad;
  }
}

TEST(Uuid, RefusesADigitThatIsNotHexAtEveryPlace) {
  const std::string good = "00010203-0405-0607-0809-0a0b0c0d0e0f";
  for (std::size_t place = 0; place < good.size(); ++place) {
    if (good[place] == '-') continue;
    for (const char wrong : {'g', 'G', '/', ':', '@', '`', '-', ' ', '\0'}) {
      std::string bad = good;
      bad[place] = wrong;
      EXPECT_FALSE(parse_uuid(bad)) << bad;
    }
  }
}

TEST(Uuid, NilIsAllZeros) {
  EXPECT_TRUE(Uuid{}.is_nil());
  EXPECT_FALSE(counting().is_nil());
  Uuid last;
  last.bytes[15] = 1;
  EXPECT_FALSE(last.is_nil());
}

TEST(Uuid, OrdersByItsBytes) {
  EXPECT_LT(Uuid{}, counting());
  EXPECT_EQ(counting(), counting());
}

TEST(Uuid, TheHashIsTheSameOnEveryMachine) {
  EXPECT_EQ(hash_uuid(counting()), 0xf7a19fff4108f7d6ULL);
  EXPECT_EQ(hash_uuid(Uuid{}), 0U);
  Random random(1);
  const Uuid uuid = make_uuid(random);
  EXPECT_EQ(hash_uuid(uuid), 0x6e6b7bb3a03328cdULL);
}

}  // namespace
}  // namespace baton::base
