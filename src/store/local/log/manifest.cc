#include "store/local/log/manifest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/assert.h"
#include "store/local/log/crc32c.h"

namespace baton::store::local {
namespace {

constexpr const char* kNewName = "manifest.new";
constexpr std::array<char, 8> kMagic = {'B', 'A', 'T', 'O', 'N', 'M', 'A', 'N'};
constexpr std::uint64_t kSlots = 2;
constexpr std::uint64_t kFileBytes = kSlots * base::kDiskBlock;

// As they lie on the disk, at the beginning of a block.
struct Fields {
  std::array<char, 8> magic;
  std::uint32_t format;
  std::uint32_t crc;  // of the whole block, with this field zero
  std::uint64_t serial;
  std::uint64_t store_id;
  std::uint64_t tail;
  std::uint64_t applied;
  std::uint64_t at_rest;
  std::uint64_t coming_to_rest;  // the turn and one; 0: unset
  std::uint64_t bound;
};
static_assert(sizeof(Fields) == 72);

struct Slot {
  std::uint64_t serial = 0;
  ManifestState state;
};

Error wrong(const std::string& what) {
  return {Code::kStoreUnavailable, std::string(kManifestName) + " " + what, {}, {}};
}

void write_slot(const Slot& slot, std::span<std::byte> block) {
  const ManifestState& state = slot.state;
  Fields fields = {kMagic,
                   kManifestFormat,
                   0,
                   slot.serial,
                   state.store_id,
                   state.tail,
                   state.applied,
                   state.at_rest,
                   state.coming_to_rest ? *state.coming_to_rest + 1 : 0,
                   state.bound ? 1ULL : 0ULL};
  std::memset(block.data(), 0, block.size());
  std::memcpy(block.data(), &fields, sizeof fields);
  fields.crc = crc32c(block);
  std::memcpy(block.data(), &fields, sizeof fields);
}

// nullopt: a write of it did not come to its end, or it is damaged. An error: a later format.
Result<std::optional<Slot>> read_slot(std::span<std::byte> block) {
  Fields fields;
  std::memcpy(&fields, block.data(), sizeof fields);
  const std::uint32_t crc = std::exchange(fields.crc, 0);
  std::memcpy(block.data(), &fields, sizeof fields);
  if (fields.magic != kMagic || crc != crc32c(block)) return std::optional<Slot>();
  if (fields.format != kManifestFormat)
    return wrong("was written in format " + std::to_string(fields.format) +
                 "; this program knows format " + std::to_string(kManifestFormat) +
                 " and is too old for it");
  Slot slot{fields.serial,
            {fields.store_id, fields.tail, fields.applied, fields.at_rest, {}, fields.bound != 0}};
  if (fields.coming_to_rest != 0) slot.state.coming_to_rest = fields.coming_to_rest - 1;
  return std::optional(slot);
}

Result<bool> is_there(base::Disk& disk, const char* name) {
  const auto names = disk.list();
  if (!names) return names.error();
  return std::binary_search(names->begin(), names->end(), name);
}

// The newest state; the other slot may be what a crash has torn.
Result<Slot> newest(base::Disk& disk) {
  const auto file = disk.open(kManifestName, base::Access::kRead);
  if (!file) return file.error();
  const auto size = (*file)->size();
  if (!size) return size.error();
  if (*size != kFileBytes)
    return wrong("has " + std::to_string(*size) + " bytes instead of " +
                 std::to_string(kFileBytes) + ": it is damaged");
  std::optional<Slot> found;
  for (std::uint64_t i = 0; i < kSlots; ++i) {
    base::AlignedBuffer block(base::kDiskBlock);
    if (const auto read = (*file)->read(i * base::kDiskBlock, block.bytes()); !read)
      return read.error();
    const auto slot = read_slot(block.bytes());
    if (!slot) return slot.error();
    if (*slot && (!found || found->serial < (*slot)->serial)) found = **slot;
  }
  if (!found) return wrong("is damaged");
  return *found;
}

}  // namespace

struct Manifest::Parts {
  mutable std::mutex mutex;
  std::unique_ptr<base::File> file;
  Slot slot;  // guarded by mutex

  Status write(const ManifestState& state);
};

Manifest::Manifest(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Manifest::~Manifest() = default;

Result<std::optional<ManifestState>> Manifest::read(base::Disk& disk) {
  const auto there = is_there(disk, kManifestName);
  if (!there) return there.error();
  if (!*there) return std::optional<ManifestState>();
  const auto slot = newest(disk);
  if (!slot) return slot.error();
  return std::optional(slot->state);
}

Status Manifest::make(base::Disk& disk, const ManifestState& state) {
  BATON_ASSERT(state.store_id != 0);
  const auto left_over = is_there(disk, kNewName);
  if (!left_over) return left_over.error();
  if (*left_over) {
    if (Status removed = disk.remove(kNewName); !removed) return removed;
  }
  auto file = disk.create(kNewName, base::Access::kDurableWrite);
  if (!file) return file.error();
  base::AlignedBuffer blocks(kFileBytes);
  write_slot({1, state}, blocks.bytes().first(base::kDiskBlock));
  write_slot({2, state}, blocks.bytes().subspan(base::kDiskBlock));
  Status done = (*file)->write(0, blocks.bytes());
  if (done) done = (*file)->sync();
  if (done) done = disk.rename(kNewName, kManifestName);
  if (done) done = disk.sync();
  return done;
}

Result<std::unique_ptr<Manifest>> Manifest::open(base::Disk& disk) {
  const auto slot = newest(disk);
  if (!slot) return slot.error();
  // So may its name be.
  if (const auto synced = disk.sync(); !synced) return synced.error();
  auto file = disk.open(kManifestName, base::Access::kDurableWrite);
  if (!file) return file.error();
  auto parts = std::make_unique<Parts>();
  parts->file = std::move(*file);
  parts->slot = *slot;
  std::unique_ptr<Manifest> manifest(new Manifest(std::move(parts)));
  if (const auto written = manifest->parts_->write(slot->state); !written) return written.error();
  return manifest;
}

ManifestState Manifest::state() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->slot.state;
}

// Into the slot that does not hold the newest state, so that one is whole at every moment.
Status Manifest::Parts::write(const ManifestState& state) {
  const Slot next{slot.serial + 1, state};
  base::AlignedBuffer block(base::kDiskBlock);
  write_slot(next, block.bytes());
  const std::uint64_t at = (next.serial + 1) % kSlots * base::kDiskBlock;
  if (Status written = file->write(at, block.bytes()); !written) return written;
  if (!file->has_name())
    return wrong("was removed: nothing that is written to this directory would be found again");
  slot = next;
  return Ok{};
}

template <class Change>
Status Manifest::change(Change change) {
  const std::lock_guard lock(parts_->mutex);
  ManifestState next = parts_->slot.state;
  change(next);
  if (next == parts_->slot.state) return Ok{};
  return parts_->write(next);
}

Status Manifest::set_tail(std::uint64_t segment) {
  return change([&](ManifestState& state) { state.tail = segment; });
}

Status Manifest::set_applied(std::uint64_t turn) {
  return change([&](ManifestState& state) { state.applied = std::max(state.applied, turn); });
}

Status Manifest::set_bound() {
  return change([](ManifestState& state) { state.bound = true; });
}

Status Manifest::forget_catalog() {
  return change([](ManifestState& state) {
    state.at_rest = 0;
    state.coming_to_rest.reset();
    state.bound = false;
  });
}

Status Manifest::begin_rest(std::uint64_t turn) {
  return change([&](ManifestState& state) { state.coming_to_rest = turn; });
}

Status Manifest::end_rest(std::uint64_t turn) {
  return change([&](ManifestState& state) {
    state.at_rest = std::max(state.at_rest, turn);
    state.coming_to_rest.reset();
  });
}

}  // namespace baton::store::local
