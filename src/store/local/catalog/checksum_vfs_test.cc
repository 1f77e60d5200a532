// Every page is checked whenever it is read: a bit that turned around, a page at the wrong place or
// from another file, a frame of the write-ahead log. Nothing of it is ever served.
#include "store/local/catalog/checksum_vfs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "store/local/catalog/catalog_testing.h"
#include "store/local/catalog/page_checksum.h"
#include "store/local/catalog/sql.h"
#include "store/local/catalog/wal_check.h"

namespace baton::store::local {
namespace {

namespace fs = std::filesystem;

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

ConstPage page_of(const std::string& bytes, std::size_t number) {
  const auto all = std::as_bytes(std::span(bytes));
  return all.subspan((number - 1) * kPageBytes).first<kPageBytes>();
}

void flip(std::string& bytes, std::size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
}

class ChecksumVfsTest : public testing::Test {
 protected:
  ChecksumVfsTest() {
    Database database({path_, "", true});
    database.run("PRAGMA journal_mode = WAL");
    fill(database, 20);
  }

  static void fill(Database& database, int rows) {
    database.run("CREATE TABLE rows(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL)");
    Statement add(database, "INSERT INTO rows(bytes) VALUES (?)");
    // Of several pages each, so that most of them hold nothing but payload.
    for (int i = 0; i < rows; ++i)
      add.run(Blob{std::string(3 * kPageBytes, static_cast<char>('a' + i))});
  }

  // All that is in a file, or the error.
  static Result<std::string> contents(const std::string& path) {
    return guarded<std::string>([&] {
      Database database({path, "", false});
      Statement all(database, "SELECT number, bytes FROM rows ORDER BY number");
      std::string read;
      for (Cursor row = all.query(); row.next();)
        read += std::to_string(row.integer(0)) + std::string(row.text(1));
      return read;
    });
  }
  // It is refused as damaged, and the message has these words.
  static void expect_damaged(const std::string& path, const std::string& words) {
    const auto read = contents(path);
    ASSERT_FALSE(read.ok()) << words;
    EXPECT_EQ(read.error().code, Code::kDamaged) << read.error().message;
    EXPECT_NE(read.error().message.find(words), std::string::npos) << read.error().message;
    EXPECT_NE(read.error().message.find(path), std::string::npos) << read.error().message;
  }

  // The files of a process that was killed, under another name.
  std::string killed() {
    std::string copy = directory_.file("killed.db");
    fs::copy_file(path_, copy, fs::copy_options::overwrite_existing);
    fs::copy_file(path_ + "-wal", copy + "-wal", fs::copy_options::overwrite_existing);
    return copy;
  }

  testbed::TestDirectory directory_;
  std::string path_ = directory_.file("data.db");
};

TEST_F(ChecksumVfsTest, EveryPageOfAFileHasAChecksum) {
  const std::string bytes = bytes_of_file(path_);
  ASSERT_EQ(bytes.size() % kPageBytes, 0U);
  ASSERT_GT(bytes.size() / kPageBytes, 60U);
  const std::uint32_t salt = salt_of(page_of(bytes, 1));
  for (std::uint32_t number = 1; number <= bytes.size() / kPageBytes; ++number)
    EXPECT_TRUE(is_whole(page_of(bytes, number), number, salt)) << number;
}

TEST_F(ChecksumVfsTest, ABitThatTurnedAroundIsFoundOnEveryPage) {
  const std::string whole = bytes_of_file(path_);
  base::Random random(1);
  for (std::size_t page = 0; page < whole.size() / kPageBytes; ++page) {
    std::string bytes = whole;
    flip(bytes, (page * kPageBytes + 200) * 8 + random.below((kPageBytes - 200) * 8));
    write_file(path_, bytes);
    expect_damaged(path_, "page " + std::to_string(page + 1) + " does not fit its checksum");
  }
}

// The header says how large pages are and whether there are checksums at all.
TEST_F(ChecksumVfsTest, NoBitOfTheHeaderTurnsTheChecksOff) {
  const std::string whole = bytes_of_file(path_);
  for (std::size_t bit = 0; bit < std::size_t{100} * 8; ++bit) {
    std::string bytes = whole;
    flip(bytes, bit);
    write_file(path_, bytes);
    const auto read = contents(path_);
    ASSERT_FALSE(read.ok()) << "bit " << bit;
    EXPECT_NE(read.error().message.find(path_), std::string::npos);
  }
}

TEST_F(ChecksumVfsTest, APageAtTheWrongPlaceIsFound) {
  std::string bytes = bytes_of_file(path_);
  const std::string tenth = bytes.substr(9 * kPageBytes, kPageBytes);
  bytes.replace(20 * kPageBytes, kPageBytes, tenth);
  write_file(path_, bytes);
  expect_damaged(path_, "page 21");
}

TEST_F(ChecksumVfsTest, APageOfAnotherFileIsFound) {
  const std::string other = directory_.file("other.db");
  {
    Database database({other, "", true});
    fill(database, 20);
  }
  const std::string theirs = bytes_of_file(other);
  std::string bytes = bytes_of_file(path_);
  bytes.replace(20 * kPageBytes, kPageBytes, theirs.substr(20 * kPageBytes, kPageBytes));
  write_file(path_, bytes);
  expect_damaged(path_, "page 21");
}

TEST_F(ChecksumVfsTest, AFileThatIsCutShortIsFound) {
  const std::string whole = bytes_of_file(path_);
  write_file(path_, whole.substr(0, whole.size() - kPageBytes));
  EXPECT_FALSE(contents(path_).ok());
  write_file(path_, whole.substr(0, whole.size() - 100));
  EXPECT_FALSE(contents(path_).ok());
  write_file(path_, whole.substr(0, 1000));
  EXPECT_FALSE(contents(path_).ok());
}

TEST_F(ChecksumVfsTest, ACopyHasChecksumsOfItsOwn) {
  const std::string before = contents(path_).value();
  const std::string copy = directory_.file("copy.db");
  {
    Database database({path_, "", true});
    Statement(database, "VACUUM INTO ?").run(copy);
  }
  EXPECT_EQ(contents(copy).value(), before);
  std::string bytes = bytes_of_file(copy);
  const std::uint32_t salt = salt_of(page_of(bytes, 1));
  EXPECT_NE(salt, salt_of(page_of(bytes_of_file(path_), 1)));
  for (std::uint32_t number = 1; number <= bytes.size() / kPageBytes; ++number)
    EXPECT_TRUE(is_whole(page_of(bytes, number), number, salt)) << number;
  flip(bytes, 30 * kPageBytes * 8 + 99);
  write_file(copy, bytes);
  expect_damaged(copy, "page 31");
}

// ---- The write-ahead log ------------------------------------------------------------------------

TEST_F(ChecksumVfsTest, AFrameOfTheLogIsCheckedWheneverItIsRead) {
  Database writer({path_, "", true});
  writer.run("UPDATE rows SET bytes = zeroblob(9000)");
  ASSERT_TRUE(contents(path_).ok());
  const std::string whole = bytes_of_file(path_ + "-wal");
  const std::uint64_t frames = (whole.size() - kWalHeaderBytes) / (frame_at(1) - frame_at(0));
  ASSERT_GT(frames, 20U);
  int found = 0;
  for (std::uint64_t frame = 0; frame < frames; ++frame) {
    std::fstream file(path_ + "-wal", std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(frame_at(frame) + kFrameHeaderBytes + 1234);
    file.seekp(at).put(static_cast<char>(whole[static_cast<std::size_t>(at)] ^ 4)).flush();
    const auto read = contents(path_);
    file.seekp(at).put(whole[static_cast<std::size_t>(at)]).flush();
    if (read.ok()) continue;  // a page that was freed
    ++found;
    EXPECT_EQ(read.error().code, Code::kDamaged);
    EXPECT_NE(read.error().message.find("-wal: frame " + std::to_string(frame + 1)),
              std::string::npos)
        << read.error().message;
  }
  EXPECT_GT(found, 40);
  EXPECT_TRUE(contents(path_).ok());
}

TEST_F(ChecksumVfsTest, ALogThatIsDamagedBeforeItsEndIsNotRecovered) {
  Database writer({path_, "", true});
  for (int i = 1; i <= 4; ++i)
    writer.run(("UPDATE rows SET bytes = zeroblob(" + std::to_string(100 * i) + ")").c_str());
  const std::string copy = killed();
  const std::string whole = bytes_of_file(copy + "-wal");
  const std::string last = contents(copy).value();
  base::Random random(1);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    fs::copy_file(path_, copy, fs::copy_options::overwrite_existing);
    fs::remove(copy + "-shm");
    std::string bytes = whole;
    const std::size_t bit = random.below(whole.size() * 8);
    flip(bytes, bit);
    write_file(copy + "-wal", bytes);
    const auto read = contents(copy);
    if (!read) {
      EXPECT_EQ(read.error().code, Code::kDamaged);
      EXPECT_NE(read.error().message.find("-wal"), std::string::npos) << read.error().message;
      ++refused;
    } else if (*read != last) {
      // Only the last transaction looks like one that a crash has torn.
      EXPECT_GT(bit / 8, whole.size() * 2 / 3) << "bit " << bit;
    }
  }
  EXPECT_GT(refused, 150);
}

// A crash tears the last transaction; that is what recovery is for.
TEST_F(ChecksumVfsTest, ALastTransactionThatIsTornIsLeftOut) {
  Database writer({path_, "", true});
  writer.run("UPDATE rows SET bytes = zeroblob(100)");
  const std::string before = contents(path_).value();
  const std::size_t begun = bytes_of_file(path_ + "-wal").size();
  writer.run("UPDATE rows SET bytes = zeroblob(5000)");
  const std::string copy = killed();
  std::string bytes = bytes_of_file(copy + "-wal");
  bytes.replace(begun + 2000, 3000, std::string(3000, '\0'));
  write_file(copy + "-wal", bytes);
  EXPECT_EQ(contents(copy).value(), before);
}

// SQLite writes a page once more into its frame when a transaction is larger than its memory, and
// puts the sums right at the end.
// It was written again in pieces that were too large for SQLite's own file system, and so a store
// that was killed with a large log did not open.
TEST_F(ChecksumVfsTest, ALargeLogIsRecovered) {
  Database database({path_, "", true});
  database.run("PRAGMA wal_autocheckpoint = 0");
  Statement add(database, "INSERT INTO rows(bytes) VALUES (?)");
  for (int i = 0; i < 120; ++i)
    add.run(Blob{std::string(3 * kPageBytes, static_cast<char>('A' + i % 26))});
  const std::string copy = killed();
  ASSERT_GT(fs::file_size(copy + "-wal"), std::uintmax_t{1} << 20);
  const auto read = contents(copy);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, *contents(path_));
}

TEST_F(ChecksumVfsTest, ATransactionLargerThanMemoryReadsWhatItWrote) {
  {
    Database writer({path_, "", true});
    writer.run("PRAGMA cache_size = 10");
    const auto written = guarded<Ok>([&] {
      Transaction transaction(writer, Transaction::Kind::kWrite);
      for (int i = 1; i <= 4; ++i) {
        writer.run(("UPDATE rows SET bytes = zeroblob(" + std::to_string(9000 + i) + ")").c_str());
        EXPECT_EQ(writer.number("SELECT sum(length(bytes)) FROM rows"), 20 * (9000 + i));
      }
      transaction.commit();
      return Ok{};
    });
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(contents(path_).value(), contents(killed()).value());
  }
  EXPECT_EQ(Database({path_, "", false}).number("SELECT sum(length(bytes)) FROM rows"),
            std::int64_t{20} * 9004);
}

}  // namespace
}  // namespace baton::store::local
