// How lists are found: by an index, whatever the filter, and right also when the clock was set
// back.
#include <gtest/gtest.h>

#include "store/local/catalog/catalog_testing.h"
#include "store/local/catalog/connection.h"
#include "store/local/catalog/list_sql.h"
#include "store/local/codec/arbitrary_rows.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

constexpr std::int64_t kStart = 1'700'000'000'000;

class CatalogList : public testing::Test {
 protected:
  // A job that was made at that second, by hand.
  void add(std::int64_t second) {
    JobChange change;
    change.id = make_job_id(random_);
    change.number = ++number_;
    change.facts.terms = terms_.keep(plain_terms());
    change.facts.state = JobState::kScheduled;
    change.facts.created_at = change.facts.updated_at = Time{kStart + second * 1000};
    auto spec = std::make_shared<Submission>();
    spec->type = "t" + std::to_string(number_ % 3);
    spec->queue = "q" + std::to_string(number_ % 2);
    if (number_ % 5 == 0) spec->tags = {{"fifth", "yes"}};
    if (number_ % 7 == 0) spec->account = "seven";
    change.made = spec;
    changes_.emplace_back(std::move(change));
  }
  void apply() {
    auto turn = std::make_shared<TurnChanges>();
    turn->turn = ++turn_;
    turn->at = Time{kStart};
    if (turn_ == 1) {
      turn->changes.emplace_back(QueueChange{"q0", {}});
      turn->changes.emplace_back(QueueChange{"q1", {}});
    }
    for (RowChange& change : changes_)
      turn->changes.push_back(std::move(change));
    changes_.clear();
    rows_.apply(turn->changes);
    const testbed::SharedTurns turns = {turn};
    ASSERT_TRUE(catalog_->apply(turns).ok());
  }
  void expect_as_rows(const ListJobs& filter) {
    const auto list = testbed::open_reader(options_, terms_)->list(filter);
    ASSERT_TRUE(list.ok()) << list.error().message;
    const JobList expected = rows_.list(filter);
    ASSERT_EQ(list->jobs.size(), expected.jobs.size());
    for (std::size_t i = 0; i < expected.jobs.size(); ++i)
      EXPECT_EQ(list->jobs[i]->number, expected.jobs[i]->number);
    EXPECT_EQ(list->next_before_number, expected.next_before_number);
  }
  void expect_times_as_rows() {
    for (std::int64_t after = -1; after < 12; ++after) {
      for (std::int64_t before = -1; before < 12; ++before) {
        ListJobs filter;
        filter.limit = 3;
        if (after >= 0) filter.created_after = Time{kStart + after * 1000};
        if (before >= 0) filter.created_before = Time{kStart + before * 1000};
        expect_as_rows(filter);
        filter.queue = "q1";
        expect_as_rows(filter);
      }
    }
  }
  static lifecycle::Terms plain_terms() {
    lifecycle::Terms terms;
    terms.profile = &lifecycle::default_profile();
    return terms;
  }
  // How SQLite runs a statement.
  std::string plan_of(const std::string& sql) {
    const auto database = open_to_read(options_);
    Statement explain(*database, ("EXPLAIN QUERY PLAN " + sql).c_str());
    std::string plan;
    for (Cursor row = explain.query(); row.next();)
      plan += std::string(row.text(3)) + "\n";
    return plan;
  }

  testbed::TestDirectory directory_;
  CatalogOptions options_ = testbed::options_for(directory_.file("catalog.db"));
  TermsTable terms_;
  std::unique_ptr<Catalog> catalog_ = testbed::open_catalog(options_, terms_);
  Rows rows_;
  base::Random random_{1};
  std::int64_t number_ = 0;
  std::uint64_t turn_ = 0;
  std::vector<RowChange> changes_;
};

TEST_F(CatalogList, NoStatementReadsMoreThanItGives) {
  for (const char* sql :
       {kAllNumbersSql, kStandingNumbersSql, kAccountNumbersSql, kCorrelationNumbersSql,
        kParentNumbersSql, kTagNumbersSql, kHeadNumbersSql, kStandingsAfterSql, kEndedTogetherSql,
        kEndedSql, kCreatedSql, kAccountSql, kGrantSql}) {
    const std::string plan = plan_of(sql);
    EXPECT_EQ(plan.find("SCAN"), std::string::npos) << sql << "\n" << plan;
    EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << sql << "\n" << plan;
    EXPECT_NE(plan.find("SEARCH"), std::string::npos) << sql << "\n" << plan;
  }
}

TEST_F(CatalogList, TimesAreFoundByHalving) {
  for (const std::int64_t second : {1, 1, 2, 4, 4, 4, 7, 8, 9, 9})
    add(second);
  apply();
  expect_times_as_rows();
}

TEST_F(CatalogList, AClockThatWasSetBackIsNoticed) {
  for (const std::int64_t second : {5, 6, 7})
    add(second);
  apply();
  for (const std::int64_t second : {2, 9, 3, 8})
    add(second);
  apply();
  expect_times_as_rows();
  testbed::expect_sound(*catalog_);
  catalog_ = testbed::open_catalog(options_, terms_);
  add(4);
  apply();
  expect_times_as_rows();
}

TEST_F(CatalogList, PagesFollowEachOther) {
  for (int i = 0; i < 50; ++i)
    add(i / 5);
  apply();
  ListJobs filter;
  filter.limit = 7;
  const auto reader = testbed::open_reader(options_, terms_);
  std::int64_t expected = 50;
  while (true) {
    const auto page = reader->list(filter);
    ASSERT_TRUE(page.ok());
    for (const auto& job : page->jobs)
      EXPECT_EQ(job->number, expected--);
    if (page->next_before_number == 0) break;
    filter.before_number = page->next_before_number;
  }
  EXPECT_EQ(expected, 0);
}

// Above so many jobs a filter by tag or account is looked up even when it names a queue as well.
TEST_F(CatalogList, ManyJobsAreNotWalkedForAFewWithATag) {
  for (int i = 0; i < 21'000; ++i)
    add(i / 100);
  apply();
  ListJobs filter;
  filter.queue = "q1";
  filter.tag = std::pair<std::string, std::string>("fifth", "yes");
  expect_as_rows(filter);
  filter.account = "seven";
  expect_as_rows(filter);
  filter.tag.reset();
  expect_as_rows(filter);
  filter.type = "t1";
  expect_as_rows(filter);
  filter.account = "";
  expect_as_rows(filter);
}

}  // namespace
}  // namespace baton::store::local
