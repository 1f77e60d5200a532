#include "store/local/catalog/id_index.h"

#include <gtest/gtest.h>

#include "store/local/catalog/catalog_testing.h"
#include "store/local/catalog/connection.h"

namespace baton::store::local {
namespace {

constexpr std::int64_t kMany = 40'000;  // more than a slice may be behind

class IdIndexTest : public testing::Test {
 protected:
  // Jobs with random ids, which nobody has told an index about.
  void add_jobs(std::int64_t count) {
    Statement add(*writer_,
                  "INSERT INTO jobs(number, kind, state, created_at, ready, turn, id, facts) "
                  "VALUES (?, 1, 1, 1, 0, 1, ?, x'00')");
    Transaction transaction(*writer_, Transaction::Kind::kWrite);
    for (; count > 0; --count) {
      ids_.push_back(make_job_id(random_));
      add.run(last(), Blob{bytes_of(ids_.back())});
    }
    transaction.commit();
  }
  std::int64_t last() const { return static_cast<std::int64_t>(ids_.size()); }
  std::int64_t in_table() { return writer_->number("SELECT count(*) FROM ids"); }

  void expect_all_found(IdIndex& index) {
    for (std::size_t i = 0; i < ids_.size(); i += 7)
      ASSERT_EQ(index.find(ids_[i]), static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(index.find(ids_.back()), last());
    EXPECT_EQ(index.find(make_job_id(random_)), std::nullopt);
  }

  testbed::TestDirectory directory_;
  CatalogOptions options_ = testbed::options_for(directory_.file("catalog.db"));
  std::shared_ptr<Database> writer_ = open_to_write(options_);
  IdIndex index_{*writer_};
  base::Random random_{5};
  std::vector<JobId> ids_;
};

TEST_F(IdIndexTest, FindsJobsThatTheTableDoesNotHave) {
  add_jobs(100);
  expect_all_found(index_);
  index_.catch_up(last());
  EXPECT_EQ(in_table(), 0);
  add_jobs(100);
  expect_all_found(index_);
}

TEST_F(IdIndexTest, BringsOneSliceAtATimeUpToDate) {
  add_jobs(kMany);
  index_.catch_up(last());
  const std::int64_t first = in_table();
  EXPECT_GT(first, kMany / 32);
  EXPECT_LT(first, kMany / 8);
  expect_all_found(index_);
  for (std::size_t i = 1; i < IdIndex::kSlices; ++i)
    index_.catch_up(last());
  EXPECT_EQ(in_table(), kMany);
  index_.catch_up(last());
  EXPECT_EQ(in_table(), kMany);
  expect_all_found(index_);
}

TEST_F(IdIndexTest, CatchesUpMoreSlicesWhenItIsFarBehind) {
  add_jobs(3 * kMany);
  index_.catch_up(last());
  EXPECT_EQ(in_table(), 3 * kMany);
  expect_all_found(index_);
}

TEST_F(IdIndexTest, AnotherConnectionFollows) {
  const auto database = open_to_read(options_);
  IdIndex reader(*database);
  add_jobs(kMany);
  expect_all_found(reader);
  for (std::size_t i = 0; i < IdIndex::kSlices / 2; ++i)
    index_.catch_up(last());
  add_jobs(kMany);
  for (std::size_t i = 0; i < IdIndex::kSlices; ++i)
    index_.catch_up(last());
  expect_all_found(reader);
  IdIndex fresh(*database);
  expect_all_found(fresh);
}

// A connection that looks rarely must not take into memory what the table has by now.
TEST_F(IdIndexTest, AConnectionThatLooksRarelyHoldsNoMoreThanOthers) {
  const auto database = open_to_read(options_);
  IdIndex reader(*database);
  add_jobs(10);
  expect_all_found(reader);
  add_jobs(8 * kMany);
  for (std::size_t i = 0; i < IdIndex::kSlices; ++i)
    index_.catch_up(last());
  expect_all_found(reader);
  EXPECT_LT(reader.room(), kMany);
}

// What a map grew to once, it need not keep.
TEST_F(IdIndexTest, GivesMemoryBack) {
  const auto database = open_to_read(options_);
  IdIndex reader(*database);
  add_jobs(4 * kMany);
  expect_all_found(reader);
  const std::size_t before = reader.room();
  for (std::size_t i = 0; i < IdIndex::kSlices; ++i)
    index_.catch_up(last());
  add_jobs(kMany);
  expect_all_found(reader);
  EXPECT_LT(reader.room(), before / 2);
}

TEST_F(IdIndexTest, WhatTheWriterAddsNeedNotBeRead) {
  add_jobs(10);
  expect_all_found(index_);
  add_jobs(1);
  index_.added(ids_.back(), last());
  expect_all_found(index_);
}

TEST_F(IdIndexTest, RemovesFromTheTableWhatItHas) {
  add_jobs(kMany);
  for (std::size_t i = 0; i < IdIndex::kSlices; ++i)
    index_.catch_up(last());
  add_jobs(1);
  EXPECT_TRUE(index_.covers(ids_.front(), 1));
  EXPECT_FALSE(index_.covers(ids_.back(), last()));
  index_.remove(ids_.front(), 1);
  index_.remove(ids_.back(), last());
  EXPECT_EQ(in_table(), kMany - 1);
  EXPECT_EQ(index_.find(ids_.front()), std::nullopt);
  EXPECT_EQ(index_.find(ids_.back()), std::nullopt);
}

TEST_F(IdIndexTest, AfterARollbackItBeginsAnew) {
  add_jobs(10);
  expect_all_found(index_);
  const JobId lost = make_job_id(random_);
  index_.added(lost, last() + 1);
  index_.forget();
  EXPECT_EQ(index_.find(lost), std::nullopt);
  expect_all_found(index_);
}

}  // namespace
}  // namespace baton::store::local
