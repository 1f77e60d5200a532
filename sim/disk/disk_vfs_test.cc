#include "sim/disk/disk_vfs.h"

#include <gtest/gtest.h>

#include "base/simulated_disk.h"
#include "store/local/catalog/sql.h"

namespace baton::sim {
namespace {

using base::SimulatedDisk;
using store::local::Database;
using store::local::DatabaseOptions;
using store::local::SqlFailure;

class DiskVfsTest : public testing::Test {
 protected:
  std::unique_ptr<Database> connect() {
    auto database = std::make_unique<Database>(DatabaseOptions{"test.db", vfs_.name(), true});
    database->run("PRAGMA journal_mode = WAL");
    database->run("PRAGMA synchronous = FULL");
    database->run("CREATE TABLE IF NOT EXISTS numbers(value INTEGER)");
    return database;
  }

  SimulatedDisk disk_{1};
  DiskVfs vfs_{disk_};
};

TEST_F(DiskVfsTest, ConnectionsShareOneFile) {
  const auto writer = connect();
  auto reader = connect();
  for (int i = 1; i <= 100; ++i) {
    writer->run("INSERT INTO numbers VALUES (1)");
    ASSERT_EQ(reader->number("SELECT count(*) FROM numbers"), i);
  }
  reader.reset();
  EXPECT_EQ(writer->number("SELECT count(*) FROM numbers"), 100);
  writer->run("INSERT INTO numbers VALUES (2)");
  EXPECT_EQ(connect()->number("SELECT sum(value) FROM numbers"), 102);
}

TEST_F(DiskVfsTest, ASecondWriterIsRefused) {
  const auto first = connect();
  const auto second = connect();
  sqlite3_busy_timeout(second->handle(), 0);
  first->run("BEGIN IMMEDIATE");
  EXPECT_THROW(second->run("BEGIN IMMEDIATE"), SqlFailure);
  first->run("COMMIT");
  second->run("BEGIN IMMEDIATE");
  second->run("COMMIT");
}

TEST_F(DiskVfsTest, WhatWasCommittedIsThereAfterAPowerCut) {
  for (int i = 1; i <= 50; ++i) {
    auto database = connect();
    database->run("INSERT INTO numbers VALUES (1)");
    database->run("BEGIN");
    database->run("INSERT INTO numbers VALUES (1000)");
    disk_.stop_at(disk_.operations() + 1);
    database.reset();
    vfs_.forget();
    disk_.crash();
    ASSERT_EQ(connect()->number("SELECT sum(value) FROM numbers"), i);
  }
}

TEST_F(DiskVfsTest, AFailureOfTheDiskIsTold) {
  const auto database = connect();
  disk_.fail(SimulatedDisk::Fault::kSync);
  EXPECT_THROW(database->run("INSERT INTO numbers VALUES (1)"), SqlFailure);
}

TEST_F(DiskVfsTest, AFullDiskIsNamed) {
  const auto database = connect();
  disk_.set_free_bytes(0);
  try {
    for (int i = 0; i < 1000; ++i)
      database->run("INSERT INTO numbers VALUES (zeroblob(2000))");
    FAIL() << "the disk is full";
  } catch (const SqlFailure& failure) {
    EXPECT_NE(failure.error.message.find("no space left"), std::string::npos);
  }
}

}  // namespace
}  // namespace baton::sim
