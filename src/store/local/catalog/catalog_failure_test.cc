// What the catalog does when the disk does not: an apply that fails at any moment leaves all or
// nothing, and a file that is no catalog is left alone.
#include <gtest/gtest.h>

#include <fstream>

#include "store/list_page.h"
#include "store/local/catalog/catalog_testing.h"
#include "store/local/catalog/faulty_vfs.h"
#include "store/local/catalog/random_history.h"
#include "store/local/catalog/schema.h"
#include "store/local/codec/arbitrary_rows.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

using testbed::FaultyVfs;
using testbed::RandomHistory;
using testbed::SharedTurns;

// The catalog has exactly the jobs of these rows.
void expect_same_jobs(CatalogReader& reader, const Rows& rows) {
  ListJobs all;
  all.limit = 100'000;
  all.with = kAllParts;
  const auto list = reader.list(all);
  ASSERT_TRUE(list.ok()) << list.error().message;
  ASSERT_EQ(list->jobs.size(), rows.jobs().size());
  for (const auto& job : list->jobs)
    EXPECT_TRUE(testbed::same(*job, *listed(*rows.jobs().at(job->number), kAllParts)));
}

class CatalogFailure : public testing::Test {
 protected:
  SharedTurns some_turns(int count) {
    SharedTurns turns;
    for (; count > 0; --count)
      turns.push_back(history_.turn());
    return turns;
  }
  static void take(Rows& rows, const SharedTurns& turns) {
    for (const auto& turn : turns)
      rows.apply(turn->changes);
  }
  std::string open_error(const CatalogOptions& options) {
    const auto opened = Catalog::open(options, terms_);
    if (opened.ok()) return "it opened";
    EXPECT_EQ(opened.error().code, Code::kStoreUnavailable) << opened.error().message;
    return opened.error().message;
  }
  void write_file(const std::string& bytes) { std::ofstream(options_.path) << bytes; }
  std::string read_file() {
    std::ifstream file(options_.path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  testbed::TestDirectory directory_;
  CatalogOptions options_ = testbed::options_for(directory_.file("catalog.db"));
  TermsTable terms_;
  RandomHistory history_{3};
};

TEST_F(CatalogFailure, AnApplyThatFailsAtAnyOperationLeavesWhatWasBefore) {
  FaultyVfs vfs;
  CatalogOptions faulty = options_;
  faulty.vfs = vfs.name();
  Rows rows;
  const SharedTurns before = some_turns(20);
  ASSERT_TRUE(testbed::open_catalog(options_, terms_)->apply(before).ok());
  take(rows, before);
  const SharedTurns turns = some_turns(20);
  bool applied = false;
  for (std::int64_t operations = 0; !applied; ++operations) {
    ASSERT_LT(operations, 1000);
    {
      auto catalog = testbed::open_catalog(faulty, terms_);
      vfs.fail_after(operations);
      const auto status = catalog->apply(turns);
      applied = status.ok();
      EXPECT_EQ(catalog->applied_turn(), applied ? turns.back()->turn : before.back()->turn);
      if (!applied) {
        EXPECT_NE(status.error().message.find("the disk failed"), std::string::npos);
      }
    }
    vfs.fail_after(-1);
    const auto catalog = testbed::open_catalog(options_, terms_);
    const auto reader = testbed::open_reader(options_, terms_);
    // A commit whose sync failed may still be there after all; its answer was no promise.
    const bool there = catalog->applied_turn() == turns.back()->turn;
    if (applied || there) take(rows, turns);
    EXPECT_TRUE(there || catalog->applied_turn() == before.back()->turn);
    expect_same_jobs(*reader, rows);
    if (there) applied = true;
    if (operations % 10 == 0 || applied) testbed::expect_sound(*catalog);
  }
}

TEST_F(CatalogFailure, TheSameTurnsMayBeTriedAgain) {
  FaultyVfs vfs;
  options_.vfs = vfs.name();
  auto catalog = testbed::open_catalog(options_, terms_);
  const SharedTurns turns = some_turns(20);
  Rows rows;
  take(rows, turns);
  vfs.fail_after(2);
  EXPECT_FALSE(catalog->apply(turns).ok());
  vfs.fail_after(-1);
  const auto again = catalog->apply(turns);
  ASSERT_TRUE(again.ok()) << again.error().message;
  expect_same_jobs(*testbed::open_reader(options_, terms_), rows);
  testbed::expect_sound(*catalog);
}

TEST_F(CatalogFailure, AFullDiskIsSaidAndNothingIsApplied) {
  testbed::open_catalog(options_, terms_).reset();
  options_.max_pages = 60;
  auto catalog = testbed::open_catalog(options_, terms_);
  std::uint64_t applied = 0;
  Rows rows;
  for (int i = 0; i < 1000; ++i) {
    const SharedTurns turns = some_turns(10);
    const auto status = catalog->apply(turns);
    if (!status.ok()) {
      EXPECT_EQ(status.error().code, Code::kStoreUnavailable);
      EXPECT_NE(status.error().message.find("no space left on the disk"), std::string::npos);
      EXPECT_NE(status.error().message.find(options_.path), std::string::npos);
      break;
    }
    applied = turns.back()->turn;
    take(rows, turns);
  }
  EXPECT_EQ(catalog->applied_turn(), applied);
  EXPECT_GT(applied, 0U);
  expect_same_jobs(*testbed::open_reader(options_, terms_), rows);
  testbed::expect_sound(*catalog);
}

TEST_F(CatalogFailure, GarbageIsNotACatalog) {
  const std::string garbage(10'000, 'x');
  write_file(garbage);
  EXPECT_NE(open_error(options_).find("the file is not a catalog"), std::string::npos);
  EXPECT_EQ(read_file(), garbage);
}

// It is the store's file all the same: a reader that is opened later must not call it another one.
TEST_F(CatalogFailure, ACatalogWhoseFirstBytesAreWrongIsDamaged) {
  {
    const auto catalog = testbed::open_catalog(options_, terms_);
    ASSERT_TRUE(catalog->apply(some_turns(20)).ok());
    ASSERT_TRUE(catalog->checkpoint().ok());
  }
  const std::string whole = read_file();
  for (std::size_t bit = 0; bit < 16 * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    write_file(bytes);
    const auto reader = CatalogReader::open(options_, terms_);
    ASSERT_FALSE(reader.ok()) << "bit " << bit;
    EXPECT_EQ(reader.error().code, Code::kDamaged) << reader.error().message;
    EXPECT_NE(reader.error().message.find(options_.path + ": page 1 "), std::string::npos)
        << reader.error().message;
    const auto opened = Catalog::open(options_, terms_);
    ASSERT_FALSE(opened.ok()) << "bit " << bit;
    EXPECT_EQ(opened.error().code, Code::kDamaged) << opened.error().message;
    EXPECT_EQ(read_file(), bytes);
  }
}

TEST_F(CatalogFailure, ADatabaseOfSomebodyElseIsLeftAlone) {
  {
    Database database({options_.path, "", true});
    database.run("CREATE TABLE theirs(x)");
  }
  const std::string before = read_file();
  EXPECT_NE(open_error(options_).find("the file is not a catalog"), std::string::npos);
  EXPECT_EQ(read_file(), before);
}

TEST_F(CatalogFailure, AFormatFromTheFutureIsRefused) {
  testbed::open_catalog(options_, terms_).reset();
  {
    Database database({options_.path, "", true});
    database.run("UPDATE meta SET value = 99 WHERE name = 'format'");
  }
  EXPECT_NE(open_error(options_).find("its format is version 99"), std::string::npos);
  EXPECT_FALSE(CatalogReader::open(options_, terms_).ok());
}

TEST_F(CatalogFailure, ACatalogThatIsNotThereCannotBeRead) {
  const auto reader = CatalogReader::open(options_, terms_);
  ASSERT_FALSE(reader.ok());
  EXPECT_NE(reader.error().message.find("cannot be opened"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(options_.path));
}

TEST_F(CatalogFailure, DamageIsFound) {
  auto catalog = testbed::open_catalog(options_, terms_);
  ASSERT_TRUE(catalog->apply(some_turns(40)).ok());
  testbed::expect_sound(*catalog);
  const char* const kDamage[] = {
      "UPDATE jobs SET state = 1 - state % 2 WHERE number = (SELECT max(number) FROM jobs)",
      "UPDATE jobs SET facts = x'0100' WHERE number = (SELECT min(number) FROM jobs)",
      "UPDATE bodies SET body = x'01ff' WHERE number = (SELECT min(number) FROM jobs)",
      "DELETE FROM bodies WHERE number = (SELECT max(number) FROM jobs)",
      "DELETE FROM tags",
      "INSERT INTO tags VALUES ('a', 'b', 1000000)",
      "INSERT INTO extras VALUES (1000000, x'01')",
      "INSERT INTO ids VALUES (1, 1000000)",
      "UPDATE jobs SET correlation_id = 'other' WHERE number = (SELECT max(number) FROM jobs)",
      "UPDATE jobs SET account = 'other' WHERE number = (SELECT max(number) FROM jobs)",
      "UPDATE jobs SET created_at = 999999 WHERE number = (SELECT max(number) FROM jobs)",
      "UPDATE meta SET value = 1 WHERE name = 'last_number'",
      "UPDATE accounts SET entry_count = entry_count + 1",
      "DELETE FROM queues",
      "UPDATE counts SET count = count + 1",
  };
  for (const char* const damage : kDamage) {
    const std::string copy = directory_.file("copy.db");
    std::filesystem::remove(copy);
    ASSERT_TRUE(testbed::open_reader(options_, terms_)->copy_to(copy).ok());
    {
      Database database({copy, "", true});
      database.run(damage);
    }
    const auto faults = testbed::open_catalog(testbed::options_for(copy), terms_)->check();
    ASSERT_TRUE(faults.ok()) << faults.error().message;
    EXPECT_FALSE(faults->empty()) << damage;
  }
}

// ---- Migrations ---------------------------------------------------------------------------------

class Migration : public testing::Test {
 protected:
  testbed::TestDirectory directory_;
  Database database_{{directory_.file("catalog.db"), "", true}};
  static constexpr const char* kFirst =
      "CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER); CREATE TABLE one(x);";
};

TEST_F(Migration, RunsOnlyTheStepsThatAreMissing) {
  const char* const first[] = {kFirst};
  migrate(database_, first);
  EXPECT_EQ(format_of(database_, first), 1);
  const char* const both[] = {kFirst, "CREATE TABLE two(x)"};
  migrate(database_, both);
  EXPECT_EQ(format_of(database_, both), 2);
  migrate(database_, both);
  EXPECT_EQ(database_.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table'"), 3);
  EXPECT_THROW(migrate(database_, first), SqlFailure);
}

TEST_F(Migration, AStepThatFailsChangesNothing) {
  const char* const first[] = {kFirst};
  migrate(database_, first);
  const char* const bad[] = {kFirst, "CREATE TABLE two(x); CREATE TABLE one(x);"};
  EXPECT_THROW(migrate(database_, bad), SqlFailure);
  EXPECT_EQ(format_of(database_, first), 1);
  EXPECT_EQ(database_.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table'"), 2);
}

}  // namespace
}  // namespace baton::store::local
