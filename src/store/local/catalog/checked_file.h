// One open file of a ChecksumVfs: the database, its write-ahead log, or another, which is passed
// through. Internal to the file system; as its connection, one thread at a time.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "store/local/catalog/page_checksum.h"

namespace baton::store::local {

class CheckedFile {
 public:
  // As the xOpen of a file system: makes a CheckedFile in the room that SQLite has made.
  static int open(sqlite3_vfs* below, const char* path, sqlite3_file* room, int flags, int* opened);
  ~CheckedFile();
  CheckedFile(const CheckedFile&) = delete;
  CheckedFile& operator=(const CheckedFile&) = delete;

  int read(void* into, int count, sqlite3_int64 offset);
  int write(const void* from, int count, sqlite3_int64 offset);
  int truncate(sqlite3_int64 size);
  int sync(int flags);
  int control(int what, void* argument);

  sqlite3_file* real() const { return real_; }
  const sqlite3_io_methods& methods() const { return *real_->pMethods; }

 private:
  enum class Role : std::uint8_t { kDatabase, kWal, kOther };

  CheckedFile(sqlite3_vfs* below, const char* path, int flags);
  int open_real(const char* path, int flags, int* opened);
  int look_for_checksums();
  bool has_whole_page();

  int read_page(std::uint32_t number, Page into);
  int read_parts(std::span<std::byte> into, std::uint64_t offset);
  int write_page(std::uint32_t number, std::span<const std::byte> from);
  int find_salt();
  bool is_empty() const;

  int read_wal(std::span<std::byte> into, std::uint64_t offset);
  int write_again(std::uint64_t bytes);
  void note_wal_write(std::span<const std::byte> from, std::uint64_t offset);

  int read_real(std::uint64_t offset, std::span<std::byte> into) const;
  int damage(const std::string& what) const;

  sqlite3_vfs* below_;
  std::unique_ptr<char[]> room_;
  sqlite3_file* real_;
  std::string path_;
  Role role_ = Role::kOther;
  bool read_only_ = false;

  // ---- Of a database --------------------------------------------------------------------------
  bool checksums_ = false;
  // It was empty, and nothing in it is durable yet: pages may be asked for that nobody wrote.
  bool fresh_ = false;
  std::optional<std::uint32_t> salt_;
  std::array<std::byte, kPageBytes> page_{};

  // ---- Of a write-ahead log -------------------------------------------------------------------
  // SQLite may write a page of a transaction that is under way once more at the same place, leaves
  // the sums out from there on and mends them when it commits: until then these frames cannot be
  // checked.
  std::set<std::uint64_t> rewritten_;
  std::optional<std::uint64_t> headed_;  // the frame whose header was just written
};

// What SQLite makes room for.
struct CheckedRoom {
  sqlite3_file base;
  CheckedFile* file;
};

}  // namespace baton::store::local
