#include "store/local/catalog/sql.h"

#include <utility>

#include "base/hex.h"
#include "store/local/catalog/page_checksum.h"

namespace baton::store::local {
namespace {

constexpr int kBusyMs = 5000;

// What SQLite's own words leave out.
std::string_view words_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "no space left on the disk";
    case SQLITE_CORRUPT:
      return "the file is damaged";
    case SQLITE_NOTADB:
      return "the file is not a catalog";
    case SQLITE_CANTOPEN:
      return "the file cannot be opened";
    case SQLITE_READONLY:
      return "the file cannot be written";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program has locked the file";
    case SQLITE_IOERR:
      return "the disk failed";
    default:
      return {};
  }
}

bool is_damage(int code) {
  return code == SQLITE_IOERR_DATA || code == SQLITE_IOERR_CORRUPTFS ||
         (code & 0xff) == SQLITE_CORRUPT;
}

// What somebody does who reads it.
constexpr std::string_view kAdvice = "; `baton doctor` says more, a backup brings it back";

// The path as a URI that says so.
std::string alone(const std::string& path) {
  std::string uri = "file:";
  for (const char letter : path) {
    const bool special = letter == '%' || letter == '?' || letter == '#';
    if (!special) {
      uri += letter;
      continue;
    }
    uri += '%';
    base::append_hex(uri, static_cast<std::uint8_t>(letter), base::kUpperHex);
  }
  return uri + "?immutable=1";
}

}  // namespace

// ---- Database -----------------------------------------------------------------------------------

Database::Database(const DatabaseOptions& options)
    : path_(options.path), vfs_(options.vfs), checksums_(options.vfs) {
  const int mode =
      options.writable ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
  sqlite3* opened = nullptr;
  const std::string name = options.alone ? alone(path_) : path_;
  const int access = options.alone ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : mode;
  const int code =
      sqlite3_open_v2(name.c_str(), &opened, access | SQLITE_OPEN_NOMUTEX, checksums_.name());
  handle_.reset(opened);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, kBusyMs);
  reserve_checksums();
}

void Database::reserve_checksums() {
  int reserved = static_cast<int>(kPageTrailerBytes);
  sqlite3_file_control(handle(), "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
}

bool Database::has_checksums() const {
  int has = 0;
  const int code = sqlite3_file_control(handle(), "main", kHasChecksums, &has);
  return code == SQLITE_OK && has != 0;
}

void Database::run(const char* sql) {
  const int code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  Cursor row = statement.query();
  return row.next() ? row.integer(0) : 0;
}

std::string Database::text(const char* sql) {
  Statement statement(*this, sql);
  Cursor row = statement.query();
  return row.next() ? std::string(row.text(0)) : std::string();
}

void Database::fail(int code) const {
  const std::string_view words = words_of(code);
  std::string said = handle_ ? sqlite3_errmsg(handle()) : sqlite3_errstr(code);
  if (code == SQLITE_IOERR_DATA) fail(last_damage());
  if (!words.empty()) said = std::string(words) + " (" + said + ")";
  if (is_damage(code)) fail(said);
  refuse(said);
}

void Database::fail(const std::string& why) const {
  throw SqlFailure{
      {Code::kDamaged, "catalog " + path_ + " is damaged: " + why + std::string(kAdvice), {}, {}}};
}

void Database::fail(const Error& error) const {
  if (error.code == Code::kDamaged) fail(error.message);
  refuse(error.message);
}

void Database::refuse(const std::string& why) const {
  throw SqlFailure{{Code::kStoreUnavailable, "catalog " + path_ + ": " + why, {}, {}}};
}

// ---- Statement ----------------------------------------------------------------------------------

Statement::Statement(Database& database, const char* sql) : database_(database) {
  sqlite3_stmt* prepared = nullptr;
  const int code =
      sqlite3_prepare_v3(database.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
  if (code != SQLITE_OK) database.fail(code);
  handle_.reset(prepared);
}

// What is bound outlives the execution: arguments live until `run` returns, and a cursor is gone
// before what its query was given.
int Statement::bind(int place, std::string_view text) {
  // A null pointer would be NULL, not an empty text.
  const char* const bytes = text.empty() ? "" : text.data();
  return sqlite3_bind_text64(handle(), place, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

int Statement::bind(int place, Blob blob) {
  const char* const bytes = blob.bytes.empty() ? "" : blob.bytes.data();
  return sqlite3_bind_blob64(handle(), place, bytes, blob.bytes.size(), SQLITE_STATIC);
}

void Statement::finish() {
  const int code = sqlite3_step(handle());
  if (code == SQLITE_DONE || code == SQLITE_ROW) {
    sqlite3_reset(handle());
    return;
  }
  // The words of the failure are the connection's until the statement is reset.
  try {
    database_.fail(code);
  } catch (const SqlFailure&) {
    sqlite3_reset(handle());
    throw;
  }
}

// ---- Cursor -------------------------------------------------------------------------------------

Cursor::~Cursor() {
  if (statement_ != nullptr) sqlite3_reset(statement_->handle());
}

bool Cursor::next() {
  const int code = sqlite3_step(statement_->handle());
  if (code == SQLITE_ROW) {
    statement_->database_.count_row();
    return true;
  }
  if (code != SQLITE_DONE) statement_->database_.fail(code);
  return false;
}

std::int64_t Cursor::integer(int column) const {
  return sqlite3_column_int64(statement_->handle(), column);
}

bool Cursor::is_null(int column) const {
  return sqlite3_column_type(statement_->handle(), column) == SQLITE_NULL;
}

std::string_view Cursor::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_->handle(), column));
  const int size = sqlite3_column_bytes(statement_->handle(), column);
  statement_->database_.count_bytes(static_cast<std::size_t>(size));
  return bytes == nullptr ? std::string_view()
                          : std::string_view(bytes, static_cast<std::size_t>(size));
}

std::span<const std::byte> Cursor::blob(int column) const {
  const std::string_view bytes = text(column);
  return std::as_bytes(std::span(bytes));
}

// ---- Transaction --------------------------------------------------------------------------------

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.run(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // After some failures SQLite has rolled back by itself; then this has nothing left to do.
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace baton::store::local
