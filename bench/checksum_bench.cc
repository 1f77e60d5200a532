// What the checksums of the catalog's pages cost: the same statements on the same tables, on
// connections with the layer and without it, in turns; the ratio of their CPU times.
//
//   bench_checksum [--rows 300000] [--rounds 5] [--directory DIR]
//
// Writing is what the projector does: thousands of rows and changes in one transaction, with
// indexes in no order, and the write-ahead log brought into the file when it has grown. Reading is
// by key, in no order, with a cache that has a small part of the file, which is the worst case:
// most look-ups read pages and check them.
#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "machine_load.h"
#include "store/local/catalog/checksum_vfs.h"
#include "store/local/catalog/page_checksum.h"

namespace baton::store::local::bench {
namespace {

struct Options {
  std::int64_t rows = 300'000;
  int rounds = 5;
  std::string directory = std::filesystem::temp_directory_path().string();
};

constexpr int kRowsAtOnce = 16'384;
constexpr std::uintmax_t kWalBytes = 64U << 20;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench_checksum: %s\n", why.c_str());
  std::_Exit(1);
}

// A database like the catalog's: jobs by number, with an index by id.
class Tables {
 public:
  Tables(const Options& options, bool checksums)
      : path_(options.directory + "/bench-checksum-" + std::to_string(getpid()) +
              (checksums ? "-with" : "-without")) {
    if (checksums) layer_ = std::make_unique<ChecksumVfs>("");
    const char* vfs = checksums ? layer_->name() : nullptr;
    constexpr int kMode = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path_.c_str(), &handle_, kMode, vfs) != SQLITE_OK) fail("cannot open");
    // Both have pages of the same layout.
    int reserved = static_cast<int>(kPageTrailerBytes);
    sqlite3_file_control(handle_, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    run("PRAGMA page_size = 4096");
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = OFF");  // the disk is the same for both
    run("PRAGMA wal_autocheckpoint = 0");
    run("CREATE TABLE jobs (number INTEGER PRIMARY KEY, state INTEGER, facts BLOB, texts BLOB)");
    run("CREATE TABLE ids (id BLOB PRIMARY KEY, number INTEGER) WITHOUT ROWID");
  }
  ~Tables() {
    sqlite3_close(handle_);
    for (const char* suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(path_ + suffix);
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  // Adds so many rows and changes as many of the earlier ones.
  double write(std::int64_t rows) {
    const double begin = cpu_ns();
    run("PRAGMA cache_size = -65536");
    for (std::int64_t done = 0; done < rows; done += kRowsAtOnce) {
      run("BEGIN IMMEDIATE");
      const std::int64_t first = last_ + 1;
      execute(
          "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) "
          "INSERT INTO jobs SELECT i, 1, randomblob(120), zeroblob(80) FROM n",
          first, last_ + kRowsAtOnce);
      last_ += kRowsAtOnce;
      execute(
          "INSERT INTO ids SELECT id_of(number), number FROM jobs WHERE number BETWEEN ?1 AND "
          "?2",
          first, last_);
      execute("UPDATE jobs SET state = 2, facts = randomblob(130) WHERE number BETWEEN ?1 AND ?2",
              first - kRowsAtOnce / 2, last_ - kRowsAtOnce / 2);
      run("COMMIT");
      if (std::filesystem::file_size(path_ + "-wal") > kWalBytes) checkpoint();
    }
    checkpoint();
    return cpu_ns() - begin;
  }

  // Looks as many jobs up by their ids.
  double read(std::int64_t rows) {
    run("PRAGMA cache_size = -2048");
    base::Random random(7);
    sqlite3_stmt* find = prepare(
        "SELECT state, facts FROM jobs WHERE number = (SELECT number FROM ids WHERE id = "
        "id_of(?1))");
    const double begin = cpu_ns();
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto wanted = random.below(static_cast<std::uint64_t>(last_)) + 1;
      sqlite3_bind_int64(find, 1, static_cast<sqlite3_int64>(wanted));
      if (sqlite3_step(find) != SQLITE_ROW) fail("a row is missing");
      sqlite3_reset(find);
    }
    const double spent = cpu_ns() - begin;
    sqlite3_finalize(find);
    return spent;
  }

  void define_id_of() {
    // Ids in no order, like the random ones of jobs.
    const auto id_of = [](sqlite3_context* context, int, sqlite3_value** values) {
      base::Random random(static_cast<std::uint64_t>(sqlite3_value_int64(values[0])));
      const std::uint64_t halves[] = {random.next(), random.next()};
      sqlite3_result_blob(context, halves, sizeof halves, SQLITE_TRANSIENT);
    };
    sqlite3_create_function(handle_, "id_of", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, id_of,
                            nullptr, nullptr);
  }

 private:
  void run(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
      fail(std::string(sql) + ": " + sqlite3_errmsg(handle_));
    }
  }
  sqlite3_stmt* prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr) != SQLITE_OK) {
      fail(std::string(sql) + ": " + sqlite3_errmsg(handle_));
    }
    return statement;
  }
  void execute(const char* sql, std::int64_t first, std::int64_t last) {
    sqlite3_stmt* statement = prepare(sql);
    sqlite3_bind_int64(statement, 1, first);
    sqlite3_bind_int64(statement, 2, last);
    if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(handle_));
    sqlite3_finalize(statement);
  }
  void checkpoint() {
    sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  }

  std::string path_;
  std::unique_ptr<ChecksumVfs> layer_;
  sqlite3* handle_ = nullptr;
  std::int64_t last_ = 0;
};

void report(const char* name, const std::vector<double>& with, const std::vector<double>& without,
            std::int64_t rows) {
  const auto count = static_cast<double>(rows);
  std::printf("%-8s with checksums %8.0f ns a row, without %8.0f ns, ratio %.3f\n", name,
              median(with) / count, median(without) / count, median(with) / median(without));
}

void measure(const Options& options) {
  Tables with(options, true);
  Tables without(options, false);
  with.define_id_of();
  without.define_id_of();
  std::vector<double> times[4];
  const std::int64_t rows = options.rows / options.rounds;
  for (int i = 0; i < options.rounds; ++i) {
    times[0].push_back(with.write(rows));
    times[1].push_back(without.write(rows));
    times[2].push_back(with.read(rows));
    times[3].push_back(without.read(rows));
  }
  report("writing", times[0], times[1], rows);
  report("reading", times[2], times[3], rows);
}

bool read_options(int count, char** words, Options& options) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    if (name == "--rows") {
      options.rows = std::atoll(words[i + 1]);
    } else if (name == "--rounds") {
      options.rounds = std::atoi(words[i + 1]);
    } else if (name == "--directory") {
      options.directory = words[i + 1];
    } else {
      return false;
    }
  }
  return count % 2 == 1 && options.rounds > 0 && options.rows >= options.rounds;
}

}  // namespace
}  // namespace baton::store::local::bench

int main(int count, char** words) {
  using namespace baton::store::local::bench;
  Options options;
  if (!read_options(count, words, options)) {
    std::fprintf(stderr, "usage: bench_checksum [--rows N] [--rounds N] [--directory DIR]\n");
    return 2;
  }
  measure(options);
  return 0;
}
