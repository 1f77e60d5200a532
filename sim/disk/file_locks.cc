#include "sim/disk/file_locks.h"

namespace baton::sim {

int FileLocks::raise(int held, int wanted) {
  if (held < SQLITE_LOCK_SHARED && wanted >= SQLITE_LOCK_SHARED) {
    if (exclusive_) return SQLITE_BUSY;
    ++shared_;
    held = SQLITE_LOCK_SHARED;
  }
  if (held < SQLITE_LOCK_RESERVED && wanted >= SQLITE_LOCK_RESERVED) {
    if (reserved_) return SQLITE_BUSY;
    if (wanted == SQLITE_LOCK_EXCLUSIVE && shared_ > 1) return SQLITE_BUSY;
    reserved_ = true;
  }
  if (wanted != SQLITE_LOCK_EXCLUSIVE) return SQLITE_OK;
  if (shared_ > 1) return SQLITE_BUSY;
  exclusive_ = true;
  return SQLITE_OK;
}

void FileLocks::lower(int held, int wanted) {
  if (held == SQLITE_LOCK_EXCLUSIVE) exclusive_ = false;
  if (held >= SQLITE_LOCK_RESERVED && wanted < SQLITE_LOCK_RESERVED) reserved_ = false;
  if (held >= SQLITE_LOCK_SHARED && wanted < SQLITE_LOCK_SHARED) --shared_;
}

void* FileLocks::region(std::size_t index, std::size_t bytes, bool make) {
  if (index >= regions_.size() && !make) return nullptr;
  while (regions_.size() <= index)
    regions_.push_back(std::make_unique<std::vector<unsigned char>>(bytes));
  return regions_[index]->data();
}

int FileLocks::lock_memory(Held& held, int first, int count, int flags) {
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  const bool unlock = (flags & SQLITE_SHM_UNLOCK) != 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = first; i < first + count; ++i) {
      const auto slot = static_cast<std::size_t>(i);
      const unsigned bit = 1U << slot;
      if (pass == 0 && !unlock) {
        const int others = memory_shared_[slot] - ((held.shared & bit) != 0 ? 1 : 0);
        const bool taken = memory_exclusive_[slot] && (held.exclusive & bit) == 0;
        if (taken || (exclusive && others > 0)) return SQLITE_BUSY;
      }
      if (pass == 0) continue;
      unsigned& mine = exclusive ? held.exclusive : held.shared;
      const bool had = (mine & bit) != 0;
      mine = unlock ? mine & ~bit : mine | bit;
      if (had != unlock) continue;
      if (exclusive) {
        memory_exclusive_[slot] = !unlock;
      } else {
        memory_shared_[slot] += unlock ? -1 : 1;
      }
    }
  }
  return SQLITE_OK;
}

}  // namespace baton::sim
