#include "store/local/durable/store_copy.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/posix_disk.h"
#include "base/private_files.h"
#include "store/local/catalog/catalog.h"
#include "store/local/local_store.h"
#include "store/local/log/format.h"
#include "store/local/log/manifest.h"
#include "store/local/log/scan.h"

namespace baton::store::local {
namespace {

namespace fs = std::filesystem;

// The rest is made anew by whoever opens the copy.
bool counts(const std::string& name) {
  if (name == kManifestName || name == "catalog.db" || name == "catalog.db-wal") return true;
  const auto segment = parse_segment_name(name);
  return segment && segment->state == SegmentState::kInUse;
}

// From the end to the beginning, a block at a time: records are written one behind the other, so
// that whatever is read of a later one, the earlier ones are read whole. nullopt: the file has lost
// its name, and with it its place in the log, because the catalog has all that is in it.
Result<std::optional<base::AlignedBuffer>> read_backwards(base::Disk& disk,
                                                          const std::string& name) {
  const auto names = disk.list();
  if (!names) return names.error();
  if (!std::binary_search(names->begin(), names->end(), name))
    return std::optional<base::AlignedBuffer>();
  const auto file = disk.open(name, base::Access::kRead);
  if (!file) return std::optional<base::AlignedBuffer>();
  const auto size = (*file)->size();
  if (!size) return size.error();
  base::AlignedBuffer bytes(*size);
  for (std::uint64_t end = *size; end > 0;) {
    const std::uint64_t begin = (end - 1) / base::kDiskBlock * base::kDiskBlock;
    const auto block = bytes.bytes().subspan(begin, end - begin);
    if (const Status read = (*file)->read(begin, block); !read) return read.error();
    end = begin;
  }
  const auto after = disk.list();
  if (!after) return after.error();
  if (!std::binary_search(after->begin(), after->end(), name))
    return std::optional<base::AlignedBuffer>();
  return std::optional(std::move(bytes));
}

Status write_file(base::Disk& disk, const std::string& name, std::span<const std::byte> bytes) {
  auto file = disk.create(name, base::Access::kWrite);
  if (!file) return file.error();
  if (Status written = (*file)->write(0, bytes); !written) return written;
  return (*file)->sync();
}

// The later segments first: when one of them has a record, all before it are complete.
Status copy_log(base::Disk& from, base::Disk& to) {
  const auto names = from.list();
  if (!names) return names.error();
  for (auto name = names->rbegin(); name != names->rend(); ++name) {
    const auto segment = parse_segment_name(*name);
    if (!segment || segment->state != SegmentState::kInUse) continue;
    const auto bytes = read_backwards(from, *name);
    if (!bytes) return bytes.error();
    if (!*bytes) continue;
    if (Status written = write_file(to, *name, (*bytes)->bytes()); !written) return written;
  }
  return Ok{};
}

// Whoever writes has its last turns in a segment that is there: else there is nothing to copy them
// from. It may go on to another one between two looks.
Status check_tail(base::Disk& disk, const ManifestState& manifest) {
  const std::string tail = segment_name(manifest.tail, SegmentState::kInUse);
  for (int look = 0; manifest.tail != 0; ++look) {
    const auto names = disk.list();
    if (!names) return names.error();
    if (std::binary_search(names->begin(), names->end(), tail)) break;
    const auto again = Manifest::read(disk);
    if (!again) return again.error();
    if (*again && (*again)->tail != manifest.tail) break;
    if (look > 2)
      return Error{Code::kStoreUnavailable,
                   tail + " is missing: the last turns of the store stand in it",
                   {},
                   {}};
  }
  return Ok{};
}

}  // namespace

Status copy_files(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::directory_iterator at(from, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!counts(name)) continue;
    fs::copy_file(at->path(), fs::path(to) / name, error);
    if (error) break;
  }
  if (error)
    return Error{Code::kStoreUnavailable, "cannot copy " + from + ": " + error.message(), {}, {}};
  base::tighten(to, is_of_a_store);
  return Ok{};
}

Status copy_while_in_use(const std::string& from, const std::string& to) {
  auto source = base::PosixDisk::open(from);
  if (!source) return source.error();
  auto target = base::PosixDisk::open(to);
  if (!target) return target.error();
  CatalogOptions catalog;
  catalog.path = catalog_path(from);
  CatalogOptions copy;
  copy.path = catalog_path(to);
  return copy_while_in_use(StoreFiles{**source, catalog}, StoreFiles{**target, copy});
}

Status copy_while_in_use(const StoreFiles& from, const StoreFiles& to) {
  const auto manifest = Manifest::read(from.disk);
  if (!manifest) return manifest.error();
  if (*manifest) {
    if (Status there = check_tail(from.disk, **manifest); !there) return there;
  }
  if (Status copied = copy_log(from.disk, to.disk); !copied) return copied;
  TermsTable terms(TermsTable::any_function());
  auto reader = CatalogReader::open(from.catalog, terms);
  if (!reader) return reader.error();
  if (Status copied = (*reader)->copy_to(to.catalog.path); !copied) return copied;
  if (!*manifest) return Ok{};
  ManifestState state;
  state.store_id = (*manifest)->store_id;
  return Manifest::make(to.disk, state);
}

}  // namespace baton::store::local
