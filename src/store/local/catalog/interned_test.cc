#include "store/local/catalog/interned.h"

#include <gtest/gtest.h>

#include "store/local/catalog/catalog_testing.h"
#include "store/local/catalog/connection.h"

namespace baton::store::local {
namespace {

class InternedTest : public testing::Test {
 protected:
  static Tuning small() {
    Tuning tuning;
    tuning.shared_terms = 10;
    tuning.remembered = 4;
    return tuning;
  }
  lifecycle::TermsRef living(std::int64_t ms) {
    lifecycle::Terms terms;
    terms.profile = &lifecycle::default_profile();
    terms.lifetime = base::milliseconds(ms);
    return kept_.keep(std::move(terms));
  }

  testbed::TestDirectory directory_;
  std::shared_ptr<Database> database_ =
      open_to_write(testbed::options_for(directory_.file("catalog.db")));
  TermsTable kept_;
  TermsNumbers terms_{*database_, kept_, small()};
  Kinds kinds_{*database_, small()};
};

TEST_F(InternedTest, SoManyTermsHaveANumberAndTheOthersHaveNone) {
  for (std::int64_t i = 1; i <= 10; ++i)
    EXPECT_EQ(terms_.number(living(i)), i);
  EXPECT_EQ(terms_.number(living(11)), 0);
  for (std::int64_t i = 1; i <= 10; ++i) {
    EXPECT_EQ(terms_.number(living(i)), i);
    EXPECT_EQ(terms_.at(i)->lifetime.ms, i);
    EXPECT_LE(terms_.remembered(), 8U);
  }
}

TEST_F(InternedTest, WhatNobodyElseUsesIsNotRemembered) {
  for (std::int64_t i = 1; i <= 1'000; ++i)
    terms_.number(living(i));
  EXPECT_LE(kept_.size(), TermsTable::kSpared + 8);
}

TEST_F(InternedTest, SomeKindsAreRememberedAndAllAreFound) {
  const lifecycle::Profile* profile = &lifecycle::default_profile();
  for (std::int64_t round = 0; round < 2; ++round) {
    for (std::int64_t i = 1; i <= 50; ++i) {
      const std::string type = "type " + std::to_string(i);
      EXPECT_EQ(kinds_.number("q", type, profile), i);
      EXPECT_EQ(kinds_.at(i).type, type);
      EXPECT_LE(kinds_.remembered(), 4U);
    }
  }
}

TEST_F(InternedTest, UnusedKindsOfAQueueGoAndTheirNumbersAreNotGivenToOthers) {
  const lifecycle::Profile* profile = &lifecycle::default_profile();
  Kinds reader(*database_, small());
  EXPECT_EQ(kinds_.number("q", "used", profile), 1);
  EXPECT_EQ(kinds_.number("q", "unused", profile), 2);
  EXPECT_EQ(reader.at(2).type, "unused");
  database_->run("INSERT INTO counts(kind, state, count) VALUES (1, 3, 1), (2, 3, 0)");
  kinds_.remove_unused("q");
  EXPECT_EQ(database_->number("SELECT count(*) FROM kinds"), 1);
  EXPECT_EQ(database_->number("SELECT count(*) FROM counts"), 1);
  EXPECT_EQ(kinds_.number("q", "used", profile), 1);
  EXPECT_EQ(kinds_.number("other", "type", profile), 3) << "somebody may remember what 2 was";
  EXPECT_EQ(reader.at(3).queue, "other");
}

}  // namespace
}  // namespace baton::store::local
