#include "api/page.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace baton::api {
namespace {

struct Shown {
  std::vector<std::int64_t> numbers;
  std::string next;
};

// The page of a list with the numbers 1 to 5.
Shown shown(std::string_view query) {
  const auto page = decode_page(query);
  EXPECT_TRUE(page) << query;
  Pager pager(*page);
  Shown out;
  for (std::int64_t number = 1; number <= 5; ++number) {
    if (pager.shows(number)) out.numbers.push_back(number);
  }
  base::JsonWriter json(out.next);
  json.begin_object();
  pager.write_next_cursor(json);
  json.end_object();
  return out;
}

TEST(Page, HoldsAllUnlessTheClientWantsFewer) {
  const Shown all = shown("");
  EXPECT_EQ(all.numbers, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(all.next, R"({"next_cursor":null})");
}

TEST(Page, GoesOnAfterTheCursorUntilNothingIsLeft) {
  const Shown first = shown("limit=2");
  EXPECT_EQ(first.numbers, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(first.next, R"({"next_cursor":"n2"})");
  const Shown last = shown("limit=3&cursor=n2");
  EXPECT_EQ(last.numbers, (std::vector<std::int64_t>{3, 4, 5}));
  EXPECT_EQ(last.next, R"({"next_cursor":null})");
}

TEST(Page, RefusesByTheNameOfTheParameter) {
  const std::pair<std::string_view, std::string> rows[] = {
      {"limit=0", "limit"},  {"limit=1001", "limit"},      {"limit=", "limit"},
      {"limit=2x", "limit"}, {"cursor=2", "cursor"},       {"cursor=n0", "cursor"},
      {"x=1", "x"},          {"limit=1&limit=1", "limit"},
  };
  for (const auto& [query, field] : rows) {
    const auto page = decode_page(query);
    ASSERT_FALSE(page) << query;
    EXPECT_EQ(page.error().code, Code::kBadRequest) << query;
    EXPECT_EQ(page.error().field, field) << query;
  }
}

TEST(Page, OfNamesTakesTheLastNameAsItsCursor) {
  const auto page = decode_page_by_name("cursor=b&limit=1");
  ASSERT_TRUE(page);
  Pager pager(*page);
  EXPECT_FALSE(pager.shows("a"));
  EXPECT_FALSE(pager.shows("b"));
  EXPECT_TRUE(pager.shows("c"));
  EXPECT_FALSE(pager.shows("d"));
}

}  // namespace
}  // namespace baton::api
