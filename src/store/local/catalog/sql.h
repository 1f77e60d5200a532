// A connection to an SQLite database and its prepared statements, as thin as can be. Whatever
// SQLite refuses is thrown as an SqlFailure and caught where the folder's own interface begins
// (`guarded`), so that no exception leaves the folder. One thread at a time for each connection.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "baton/result.h"
#include "store/local/catalog/checksum_vfs.h"

namespace baton::store::local {

struct SqlFailure {
  Error error;
};

// Bytes as a column, where a plain string_view is text.
struct Blob {
  std::string_view bytes;
};

struct DatabaseOptions {
  std::string path;
  std::string vfs;        // empty: the system's
  bool writable = false;  // also: make it when it is not there
  // The file alone, as if nobody ever wrote to it: without its write-ahead log, and without a lock.
  bool alone = false;
};

class Database {
 public:
  explicit Database(const DatabaseOptions& options);

  // Runs statements that give no rows.
  void run(const char* sql);
  // The first column of the first row.
  std::int64_t number(const char* sql);
  std::string text(const char* sql);

  // Rows that statements gave on this connection, and bytes of columns that were looked at.
  struct Read {
    std::int64_t rows = 0;
    std::int64_t bytes = 0;
  };
  const Read& read() const { return read_; }
  void count_row() { ++read_.rows; }
  void count_bytes(std::size_t bytes) { read_.bytes += static_cast<std::int64_t>(bytes); }

  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }
  const std::string& vfs() const { return vfs_; }

  // A file that is made from here on, by this connection or as a copy, has room for checksums.
  // Setting the size of pages undoes it.
  void reserve_checksums();
  // Whether its pages have checksums, or will have them; not in a catalog of the first format.
  bool has_checksums() const;

  // The code of SQLite as an error that names the file: `damaged` when what was read is not what
  // was written, else store_unavailable.
  [[noreturn]] void fail(int code) const;
  // What is in the file cannot be: `damaged`.
  [[noreturn]] void fail(const std::string& why) const;
  // A value that does not decode: as its error says.
  [[noreturn]] void fail(const Error& error) const;
  // The file is not one to be used: store_unavailable.
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };

  std::string path_;
  std::string vfs_;
  ChecksumVfs checksums_;
  std::unique_ptr<sqlite3, Close> handle_;
  Read read_;
};

class Statement;

// The rows of one execution of a statement. What it gives is valid until the next row; the
// statement is free again when the cursor is gone.
class Cursor {
 public:
  explicit Cursor(Statement& statement) : statement_(&statement) {}
  Cursor(Cursor&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
  Cursor& operator=(Cursor&&) = delete;
  ~Cursor();

  bool next();
  std::int64_t integer(int column) const;
  bool is_null(int column) const;
  std::string_view text(int column) const;
  std::span<const std::byte> blob(int column) const;

 private:
  Statement* statement_;
};

class Statement {
 public:
  Statement(Database& database, const char* sql);

  // Binds the arguments in their order and runs the statement, which gives no rows.
  template <class... Arguments>
  void run(const Arguments&... arguments) {
    bind_all(arguments...);
    finish();
  }
  // Binds the arguments in their order; the cursor stands before the first row.
  template <class... Arguments>
  Cursor query(const Arguments&... arguments) {
    bind_all(arguments...);
    return Cursor(*this);
  }

 private:
  friend class Cursor;

  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };

  template <class... Arguments>
  void bind_all(const Arguments&... arguments) {
    int place = 0;
    (check(bind(++place, arguments)), ...);
  }
  int bind(int place, std::int64_t value) { return sqlite3_bind_int64(handle(), place, value); }
  int bind(int place, int value) { return sqlite3_bind_int64(handle(), place, value); }
  int bind(int place, std::string_view text);
  int bind(int place, const std::string& text) { return bind(place, std::string_view(text)); }
  int bind(int place, Blob blob);
  template <class T>
  int bind(int place, const std::optional<T>& value) {
    return value ? bind(place, *value) : sqlite3_bind_null(handle(), place);
  }

  sqlite3_stmt* handle() const { return handle_.get(); }
  void check(int code) {
    if (code != SQLITE_OK) database_.fail(code);
  }
  void finish();

  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

// Rolls back unless it was committed.
class Transaction {
 public:
  enum class Kind : std::uint8_t { kRead, kWrite };

  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

// A column that is one of the values with a name.
template <class Enum>
Enum checked_enum(const Database& database, std::int64_t value) {
  const auto known = static_cast<std::int64_t>(kNames<Enum>.size());
  if (value < 0 || value >= known) database.fail("a value has no meaning");
  return static_cast<Enum>(value);
}

// Runs the body and gives what it returns, or the error of what it threw.
template <class T, class Body>
Result<T> guarded(Body body) {
  try {
    return body();
  } catch (const SqlFailure& failure) {
    return failure.error;
  }
}

}  // namespace baton::store::local
