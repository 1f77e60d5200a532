// A catalog of the first format, whose pages have no checksums, gets them when it is opened, and a
// crash in the middle of that loses nothing.
#include <gtest/gtest.h>

#include <fstream>

#include "store/list_page.h"
#include "store/local/catalog/catalog_testing.h"
#include "store/local/catalog/faulty_vfs.h"
#include "store/local/catalog/page_checksum.h"
#include "store/local/catalog/random_history.h"
#include "store/local/catalog/schema.h"
#include "store/local/codec/arbitrary_rows.h"

namespace baton::store::local {
namespace {

namespace fs = std::filesystem;
using testbed::FaultyVfs;
using testbed::RandomHistory;
using testbed::SharedTurns;

class FirstFormat : public testing::Test {
 protected:
  FirstFormat() {
    const std::string made = directory_.file("made.db");
    {
      auto catalog = testbed::open_catalog(testbed::options_for(made), terms_);
      SharedTurns turns;
      for (int i = 0; i < 60; ++i)
        turns.push_back(history_.turn());
      EXPECT_TRUE(catalog->apply(turns).ok());
      for (const auto& turn : turns)
        rows_.apply(turn->changes);
    }
    as_first_format(made);
  }

  // Copies the tables to a file that this program's own connections had no part in.
  void as_first_format(const std::string& made) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(old_.c_str(), &raw), SQLITE_OK);
    const auto run = [raw](const std::string& sql) {
      char* said = nullptr;
      EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, &said), SQLITE_OK) << said;
      sqlite3_free(said);
    };
    run("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL");
    run(migration_steps()[0]);
    run("DELETE FROM meta; DELETE FROM id_slices");
    run("ATTACH '" + made + "' AS made");
    for (const char* const table :
         {"meta", "kinds", "terms", "counts", "ids", "id_slices", "bodies", "payloads", "extras",
          "tags", "queues", "accounts", "entries", "grant_keys", "audit"}) {
      run("INSERT INTO main." + std::string(table) + " SELECT * FROM made." + table);
    }
    // Later formats have more columns.
    run("INSERT INTO main.jobs SELECT number, kind, state, created_at, ready, turn, id, facts, "
        "completed_at, account, correlation_id, key, key_expires FROM made.jobs");
    run("DELETE FROM main.meta WHERE name IN ('seals', 'store_id', 'log_turn', 'parents_known')");
    run("UPDATE main.meta SET value = 1 WHERE name = 'format'");
    run("PRAGMA application_id = 1113683054");
    EXPECT_EQ(sqlite3_close(raw), SQLITE_OK);
  }

  void expect_all_there(const std::string& path) {
    const CatalogOptions options = testbed::options_for(path);
    auto catalog = testbed::open_catalog(options, terms_);
    testbed::expect_sound(*catalog);
    const auto reader = testbed::open_reader(options, terms_);
    ListJobs all;
    all.limit = 100'000;
    all.with = kAllParts;
    const auto list = reader->list(all);
    ASSERT_TRUE(list.ok()) << list.error().message;
    ASSERT_EQ(list->jobs.size(), rows_.jobs().size());
    for (const auto& [number, job] : rows_.jobs()) {
      const auto found = reader->find(job->id);
      ASSERT_TRUE(found.ok() && found->has_value());
      EXPECT_TRUE(testbed::same((*found)->job.record, *job));
    }
  }
  void expect_checksums(const std::string& path) {
    Database database({path, "", false});
    EXPECT_TRUE(database.has_checksums());
    EXPECT_EQ(database.number("SELECT value FROM meta WHERE name = 'format'"),
              static_cast<std::int64_t>(migration_steps().size()));
  }

  testbed::TestDirectory directory_;
  TermsTable terms_;
  std::string old_ = directory_.file("old.db");
  RandomHistory history_{5};  // has the terms of its jobs
  Rows rows_;
};

TEST_F(FirstFormat, GetsChecksumsWhenItIsOpened) {
  EXPECT_FALSE(Database({old_, "", false}).has_checksums());
  expect_all_there(old_);
  expect_checksums(old_);
  EXPECT_FALSE(fs::exists(old_ + ".new"));
  expect_all_there(old_);
}

TEST_F(FirstFormat, IsWholeWhereverThatEnds) {
  FaultyVfs vfs;
  int failures = 0;
  for (std::int64_t n = 0;; n += n < 20 ? 1 : 17) {
    const std::string copy = directory_.file("copy.db");
    for (const char* const ending : {"", "-wal", "-shm", "-journal", ".new", ".new-journal"})
      fs::remove(copy + ending);
    fs::copy_file(old_, copy);
    CatalogOptions options = testbed::options_for(copy);
    options.vfs = vfs.name();
    vfs.fail_after(n);
    const bool opened = Catalog::open(options, terms_).ok();
    vfs.fail_after(-1);
    expect_all_there(copy);
    expect_checksums(copy);
    if (opened || HasFailure()) break;
    ++failures;
  }
  EXPECT_GT(failures, 20);
}

TEST_F(FirstFormat, AMarkThatWasLostIsDamageAndNotTheFirstFormat) {
  expect_all_there(old_);
  ASSERT_TRUE(testbed::open_catalog(testbed::options_for(old_), terms_)->checkpoint().ok());
  std::fstream file(old_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(20).put('\0').flush();
  const auto opened = Catalog::open(testbed::options_for(old_), terms_);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Code::kDamaged) << opened.error().message;
}

}  // namespace
}  // namespace baton::store::local
