#include "store/local/catalog/checked_file.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "store/local/catalog/checksum_vfs.h"
#include "store/local/catalog/wal_check.h"

namespace baton::store::local {
namespace {

// A page that another connection writes at this moment is read in two parts; so it is read again.
constexpr int kTries = 3;
// Of a file that does not begin like a database.
constexpr std::uint32_t kPagesAsked = 16;

// Of SQLite's pages: what is smaller is a look at the header.
constexpr std::size_t kLeastPageBytes = 512;

// SQLite's own file system writes no more than 128 KiB at once.
constexpr std::size_t kWrittenAgainAtOnce = std::size_t{64} << 10;

thread_local std::string t_last_damage;

bool all_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](std::byte byte) { return byte == std::byte{}; });
}

// ---- What SQLite calls --------------------------------------------------------------------------

CheckedFile& of(sqlite3_file* file) { return *reinterpret_cast<CheckedRoom*>(file)->file; }

int x_close(sqlite3_file* file) {
  delete &of(file);
  return SQLITE_OK;
}
int x_read(sqlite3_file* file, void* into, int count, sqlite3_int64 offset) {
  return of(file).read(into, count, offset);
}
int x_write(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
  return of(file).write(from, count, offset);
}
int x_truncate(sqlite3_file* file, sqlite3_int64 size) { return of(file).truncate(size); }
int x_sync(sqlite3_file* file, int flags) { return of(file).sync(flags); }
int x_size(sqlite3_file* file, sqlite3_int64* size) {
  return of(file).methods().xFileSize(of(file).real(), size);
}
int x_lock(sqlite3_file* file, int level) {
  return of(file).methods().xLock(of(file).real(), level);
}
int x_unlock(sqlite3_file* file, int level) {
  return of(file).methods().xUnlock(of(file).real(), level);
}
int x_check_reserved(sqlite3_file* file, int* reserved) {
  return of(file).methods().xCheckReservedLock(of(file).real(), reserved);
}
int x_control(sqlite3_file* file, int what, void* argument) {
  return of(file).control(what, argument);
}
int x_sector(sqlite3_file* file) { return of(file).methods().xSectorSize(of(file).real()); }
int x_device(sqlite3_file* file) {
  return of(file).methods().xDeviceCharacteristics(of(file).real());
}
int x_memory(sqlite3_file* file, int index, int bytes, int make, void volatile** region) {
  return of(file).methods().xShmMap(of(file).real(), index, bytes, make, region);
}
int x_lock_memory(sqlite3_file* file, int first, int count, int flags) {
  return of(file).methods().xShmLock(of(file).real(), first, count, flags);
}
void x_barrier(sqlite3_file* file) { of(file).methods().xShmBarrier(of(file).real()); }
int x_leave_memory(sqlite3_file* file, int forget) {
  return of(file).methods().xShmUnmap(of(file).real(), forget);
}

// The second version: without mapping files into memory, which would pass the checks by.
constexpr sqlite3_io_methods kMethods = {
    2,         x_close,        x_read,   x_write,  x_truncate,
    x_sync,    x_size,         x_lock,   x_unlock, x_check_reserved,
    x_control, x_sector,       x_device, x_memory, x_lock_memory,
    x_barrier, x_leave_memory, nullptr,  nullptr};

}  // namespace

const std::string& last_damage() { return t_last_damage; }

// ---- Opening ------------------------------------------------------------------------------------

CheckedFile::CheckedFile(sqlite3_vfs* below, const char* path, int flags)
    : below_(below),
      room_(new char[static_cast<std::size_t>(below->szOsFile)]()),
      real_(reinterpret_cast<sqlite3_file*>(room_.get())),
      path_(path == nullptr ? "" : path) {
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) role_ = Role::kDatabase;
  if ((flags & SQLITE_OPEN_WAL) != 0) role_ = Role::kWal;
  read_only_ = (flags & SQLITE_OPEN_READONLY) != 0;
}

CheckedFile::~CheckedFile() {
  if (real_->pMethods != nullptr) real_->pMethods->xClose(real_);
}

int CheckedFile::open(sqlite3_vfs* below, const char* path, sqlite3_file* room, int flags,
                      int* opened) {
  room->pMethods = nullptr;
  std::unique_ptr<CheckedFile> file(new CheckedFile(below, path, flags));
  if (const int code = file->open_real(path, flags, opened); code != SQLITE_OK) return code;
  reinterpret_cast<CheckedRoom*>(room)->file = file.release();
  room->pMethods = &kMethods;
  return SQLITE_OK;
}

int CheckedFile::open_real(const char* path, int flags, int* opened) {
  const int code = below_->xOpen(below_, path, real_, flags, opened);
  if (code != SQLITE_OK || role_ != Role::kDatabase) return code;
  return look_for_checksums();
}

// Files that are no catalog, or one of the first format, are left as they are.
int CheckedFile::look_for_checksums() {
  checksums_ = true;
  fresh_ = is_empty();
  if (fresh_) return SQLITE_OK;
  const int code = read_real(0, page_);
  const bool is_short = code == SQLITE_IOERR_SHORT_READ;
  if (code != SQLITE_OK && !is_short) return code;
  if (!begins_a_database(page_)) {
    checksums_ = has_whole_page();
    return SQLITE_OK;
  }
  if (!is_short && is_without_checksums(page_)) checksums_ = false;
  return SQLITE_OK;
}

// Whether one of the first pages fits its checksum: then the file is a catalog, whatever became of
// the bytes that say so.
bool CheckedFile::has_whole_page() {
  for (std::uint32_t number = 1; number <= kPagesAsked; ++number) {
    if (read_real(std::uint64_t{number - 1} * kPageBytes, page_) != SQLITE_OK) return false;
    if (is_whole(page_, number, salt_of(page_))) return true;
  }
  return false;
}

bool CheckedFile::is_empty() const {
  sqlite3_int64 size = 0;
  return methods().xFileSize(real_, &size) == SQLITE_OK && size == 0;
}

// ---- Any file -----------------------------------------------------------------------------------

int CheckedFile::read_real(std::uint64_t offset, std::span<std::byte> into) const {
  return methods().xRead(real_, into.data(), static_cast<int>(into.size()),
                         static_cast<sqlite3_int64>(offset));
}

int CheckedFile::damage(const std::string& what) const {
  t_last_damage = path_ + ": " + what;
  return SQLITE_IOERR_DATA;
}

int CheckedFile::read(void* into, int count, sqlite3_int64 offset) {
  const std::span bytes(static_cast<std::byte*>(into), static_cast<std::size_t>(count));
  const auto at = static_cast<std::uint64_t>(offset);
  if (role_ == Role::kWal) return read_wal(bytes, at);
  // SQLite looks at parts of the header before it has a lock, and believes them only when it has
  // read the page.
  if (!checksums_ || bytes.size() < kLeastPageBytes) return read_real(at, bytes);
  if (bytes.size() == kPageBytes && at % kPageBytes == 0) {
    return read_page(static_cast<std::uint32_t>(at / kPageBytes + 1), bytes.first<kPageBytes>());
  }
  return read_parts(bytes, at);
}

int CheckedFile::write(const void* from, int count, sqlite3_int64 offset) {
  const auto at = static_cast<std::uint64_t>(offset);
  const std::span bytes(static_cast<const std::byte*>(from), static_cast<std::size_t>(count));
  if (role_ == Role::kWal) note_wal_write(bytes, at);
  if (!checksums_) return methods().xWrite(real_, from, count, offset);
  // SQLite writes whole pages only.
  if (bytes.size() != kPageBytes || at % kPageBytes != 0) return SQLITE_IOERR_WRITE;
  return write_page(static_cast<std::uint32_t>(at / kPageBytes + 1), bytes);
}

int CheckedFile::truncate(sqlite3_int64 size) {
  rewritten_.clear();
  if (size == 0 && role_ == Role::kDatabase) {
    // What was half made is rolled back, and what is made instead has checksums.
    salt_.reset();
    checksums_ = true;
    fresh_ = true;
  }
  return methods().xTruncate(real_, size);
}

int CheckedFile::sync(int flags) {
  const int code = methods().xSync(real_, flags);
  if (code == SQLITE_OK) fresh_ = false;
  return code;
}

int CheckedFile::control(int what, void* argument) {
  if (what != kHasChecksums) return methods().xFileControl(real_, what, argument);
  *static_cast<int*>(argument) = checksums_ ? 1 : 0;
  return SQLITE_OK;
}

// ---- The database -------------------------------------------------------------------------------

// The salt is on every page. A crash may have torn some, so that the first whole one is asked.
int CheckedFile::find_salt() {
  if (salt_) return SQLITE_OK;
  for (std::uint32_t number = 1;; ++number) {
    const int code = read_real(std::uint64_t{number - 1} * kPageBytes, page_);
    if (code == SQLITE_IOERR_SHORT_READ) break;
    if (code != SQLITE_OK) return code;
    if (!is_whole(page_, number, salt_of(page_))) continue;
    salt_ = salt_of(page_);
    return SQLITE_OK;
  }
  std::uint32_t salt = 0;
  below_->xRandomness(below_, sizeof salt, reinterpret_cast<char*>(&salt));
  salt_ = salt;
  return SQLITE_OK;
}

int CheckedFile::read_page(std::uint32_t number, Page into) {
  const std::uint64_t at = std::uint64_t{number - 1} * kPageBytes;
  for (int i = 0; i < kTries; ++i) {
    const int code = read_real(at, into);
    if (code == SQLITE_IOERR_SHORT_READ) {
      // Beyond the end of a file that is being made there is nothing yet.
      if (fresh_ || is_empty()) return code;
      return damage("page " + std::to_string(number) + " is behind the end of the file");
    }
    if (code != SQLITE_OK) return code;
    if (fresh_ && all_zero(into)) return SQLITE_OK;
    const std::uint32_t salt = salt_.value_or(salt_of(into));
    if (!is_whole(into, number, salt)) continue;
    salt_ = salt;
    return SQLITE_OK;
  }
  return damage("page " + std::to_string(number) + " does not fit its checksum");
}

// A header that is damaged may have named another size of pages.
int CheckedFile::read_parts(std::span<std::byte> into, std::uint64_t offset) {
  while (!into.empty()) {
    const std::uint64_t within = offset % kPageBytes;
    const std::size_t count = std::min<std::size_t>(into.size(), kPageBytes - within);
    const int code = read_page(static_cast<std::uint32_t>(offset / kPageBytes + 1), page_);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
    std::memcpy(into.data(), page_.data() + within, count);
    if (code != SQLITE_OK) {
      const std::span rest = into.subspan(count);
      std::fill(rest.begin(), rest.end(), std::byte{});
      return code;
    }
    into = into.subspan(count);
    offset += count;
  }
  return SQLITE_OK;
}

int CheckedFile::write_page(std::uint32_t number, std::span<const std::byte> from) {
  if (const int code = find_salt(); code != SQLITE_OK) return code;
  std::copy(from.begin(), from.end(), page_.begin());
  // Without room for it the checksum would stand on data.
  if (number == 1 && reserved_bytes(page_) != kPageTrailerBytes) return SQLITE_IOERR_WRITE;
  seal_page(page_, number, *salt_);
  return methods().xWrite(real_, page_.data(), static_cast<int>(kPageBytes),
                          static_cast<sqlite3_int64>(number - 1) * static_cast<int>(kPageBytes));
}

// ---- The write-ahead log ------------------------------------------------------------------------

int CheckedFile::read_wal(std::span<std::byte> into, std::uint64_t offset) {
  const int code = read_real(offset, into);
  if (code != SQLITE_OK) return code;
  const ReadWal again = [this](std::uint64_t at, std::span<std::byte> bytes) {
    return read_real(at, bytes);
  };
  // Only who recovers the log reads its header, and nobody writes meanwhile.
  if (offset == 0 && into.size() == kWalHeaderBytes) {
    sqlite3_int64 size = 0;
    if (const int failed = methods().xFileSize(real_, &size); failed != SQLITE_OK) return failed;
    std::string why;
    std::uint64_t whole = 0;
    const int checked = check_wal(again, static_cast<std::uint64_t>(size), whole, why);
    if (checked == SQLITE_IOERR_DATA) return damage(why);
    return checked == SQLITE_OK ? write_again(whole) : checked;
  }
  const std::uint64_t frame = (offset - kWalHeaderBytes) / (frame_at(1) - frame_at(0));
  const bool is_page = into.size() == kPageBytes && offset == frame_at(frame) + kFrameHeaderBytes;
  if (!is_page || rewritten_.contains(frame)) return SQLITE_OK;
  const int checked = check_frame(again, frame, into);
  if (checked != SQLITE_IOERR_DATA) return checked;
  return damage("frame " + std::to_string(frame + 1) + " does not fit its checksum");
}

// A sync that failed in an earlier process may have left the log in the memory of the system alone,
// where it looks like any other. What follows it must not be durable without it.
int CheckedFile::write_again(std::uint64_t bytes) {
  if (read_only_) return SQLITE_OK;
  std::vector<std::byte> part(kWrittenAgainAtOnce);
  for (std::uint64_t at = 0; at < bytes; at += part.size()) {
    part.resize(std::min<std::uint64_t>(kWrittenAgainAtOnce, bytes - at));
    if (const int code = read_real(at, part); code != SQLITE_OK) return code;
    const int code = methods().xWrite(real_, part.data(), static_cast<int>(part.size()),
                                      static_cast<sqlite3_int64>(at));
    if (code != SQLITE_OK) return code;
  }
  return bytes == 0 ? SQLITE_OK : methods().xSync(real_, SQLITE_SYNC_NORMAL);
}

// A header without salt and sums, or a page without a header before it, is one of a transaction
// that will be gone through once more.
void CheckedFile::note_wal_write(std::span<const std::byte> from, std::uint64_t offset) {
  if (offset < kWalHeaderBytes) {
    rewritten_.clear();
    return;
  }
  const std::uint64_t frame = (offset - kWalHeaderBytes) / (frame_at(1) - frame_at(0));
  if (from.size() == kFrameHeaderBytes && offset == frame_at(frame)) {
    rewritten_.erase(frame);
    if (all_zero(from.subspan(8))) rewritten_.insert(frame);
    headed_ = frame;
  } else if (from.size() == kPageBytes && offset == frame_at(frame) + kFrameHeaderBytes) {
    if (headed_ != frame) rewritten_.insert(frame);
    headed_.reset();
  }
}

}  // namespace baton::store::local
