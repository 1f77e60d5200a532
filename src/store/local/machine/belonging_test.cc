#include "store/local/machine/belonging.h"

#include <gtest/gtest.h>

namespace baton::store::local {
namespace {

constexpr std::uint64_t kId = 7;

CatalogStanding catalog() {
  return {.there = true, .store_id = kId, .applied_turn = 20, .log_turn = 20, .turn_of_file = 10};
}

ManifestState manifest() {
  ManifestState state;
  state.store_id = kId;
  state.tail = 3;
  state.applied = 15;
  state.at_rest = 10;
  state.bound = true;
  return state;
}

std::string refusal(const CatalogStanding& of, const std::optional<ManifestState>& by) {
  const auto checked = check_belongs(of, by);
  return checked.ok() ? "" : checked.error().message;
}

TEST(Belonging, WhatBelongsTogetherIsTaken) {
  EXPECT_EQ(refusal(catalog(), manifest()), "");
  EXPECT_EQ(refusal({}, std::nullopt), "") << "a new directory";
  CatalogStanding earlier = catalog();
  earlier.store_id = 0;
  EXPECT_EQ(refusal(earlier, std::nullopt), "") << "of an earlier version, or a backup";
  ManifestState unbound = manifest();
  unbound.bound = false;
  EXPECT_EQ(refusal(earlier, unbound), "") << "the process ended before they were bound";
  ManifestState resting = manifest();
  resting.coming_to_rest = 20;
  CatalogStanding unreadable = catalog();
  unreadable.turn_of_file.reset();
  EXPECT_EQ(refusal(unreadable, resting), "") << "a checkpoint was under way";
}

TEST(Belonging, AMissingManifestIsRefused) {
  EXPECT_TRUE(refusal(catalog(), std::nullopt).starts_with("manifest is missing"));
}

TEST(Belonging, EachRuleNamesItsFileAndSaysWhatToDo) {
  struct Case {
    const char* name;
    void (*change)(CatalogStanding&, ManifestState&);
    const char* said;
  };
  const Case cases[] = {
      {"missing", [](CatalogStanding& c, ManifestState&) { c = {}; }, "catalog.db is missing"},
      {"foreign", [](CatalogStanding& c, ManifestState&) { c.store_id = 8; }, "different stores"},
      {"backup", [](CatalogStanding& c, ManifestState&) { c.store_id = 0; },
       "catalog.db does not belong"},
      {"older", [](CatalogStanding& c, ManifestState&) { c.applied_turn = 14; }, "an older copy"},
      {"older journal",
       [](CatalogStanding& c, ManifestState& m) {
         m.at_rest = 18;
         c.applied_turn = 17;
         c.turn_of_file = 18;
       },
       "catalog.db-wal is an older copy"},
      {"journal cut off", [](CatalogStanding&, ManifestState& m) { m.coming_to_rest = 21; },
       "catalog.db-wal is missing, cut off"},
      {"older file", [](CatalogStanding& c, ManifestState&) { c.turn_of_file = 9; },
       "catalog.db is an older copy than catalog.db-wal"},
      {"file cut off", [](CatalogStanding& c, ManifestState&) { c.turn_of_file.reset(); },
       "catalog.db is damaged or cut off"},
  };
  for (const Case& one : cases) {
    CatalogStanding changed = catalog();
    ManifestState state = manifest();
    one.change(changed, state);
    const std::string said = refusal(changed, state);
    EXPECT_NE(said.find(one.said), std::string::npos) << one.name << ": " << said;
    EXPECT_NE(said.find("baton backup --damaged"), std::string::npos) << one.name;
  }
}

TEST(Belonging, ACatalogIsMadeAgainOnlyFromAWholeLog) {
  ManifestState young = manifest();
  young.applied = 0;
  EXPECT_EQ(refusal({}, young), "");
  EXPECT_TRUE(is_to_be_rebuilt({}, young));
  EXPECT_FALSE(is_to_be_rebuilt(catalog(), young));
}

TEST(Belonging, AdviceGoesToWhatIsWrongWithFilesAlone) {
  const auto advised = [](const char* message) {
    return with_advice({Code::kStoreUnavailable, message, {}, {}}).message;
  };
  EXPECT_NE(advised("log-1.seg has a damaged header").find("backup"), std::string::npos);
  EXPECT_EQ(advised("cannot write x: no space left on device"),
            "cannot write x: no space left on device");
  EXPECT_EQ(advised("restore a backup"), "restore a backup");
}

}  // namespace
}  // namespace baton::store::local
