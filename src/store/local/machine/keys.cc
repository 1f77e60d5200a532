#include "store/local/machine/keys.h"

#include <algorithm>
#include <string>

#include "base/sha256.h"

namespace baton::store::local {
namespace {

// Memory that was needed once goes back when so little of it is used.
constexpr std::size_t kUsedOfRoom = 4;
constexpr std::size_t kLeastRoom = 1024;

}  // namespace

Key make_key(std::string_view job_type, std::string_view text) {
  std::string both(job_type);
  both.push_back('\0');
  both += text;
  const base::Sha256 digest = base::sha256(both);
  Key key;
  std::copy_n(digest.begin(), key.bytes.size(), key.bytes.begin());
  return key;
}

PayloadHash hash_payload(const Submission& job) {
  const base::Sha256 payload = base::sha256(job.payload);
  std::string both(payload.begin(), payload.end());
  both += job.content_type;
  const base::Sha256 digest = base::sha256(both);
  PayloadHash hash;
  std::copy_n(digest.begin(), hash.bytes.size(), hash.bytes.begin());
  // What is all zero stands for none.
  if (!hash.is_known()) hash.bytes.back() = 1;
  return hash;
}

std::optional<bool> differ(const PayloadHash& a, const PayloadHash& b) {
  if (!a.is_known() || !b.is_known()) return std::nullopt;
  return a != b;
}

Keys::Keys() : by_key_(0, Hash{&held_}, Equal{&held_}) {}

const KeyHolder* Keys::find(const Key& key, Time now) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  const KeyHolder& holder = held_[*found].holder;
  return now >= holder.expires_at ? nullptr : &holder;
}

void Keys::hold(const Key& key, const KeyHolder& holder) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    held_[*found].holder = holder;
    return settle(held_[*found].place);
  }
  const auto index = static_cast<Index>(held_.size());
  held_.push_back({key, holder, index});
  by_key_.insert(index);
  heap_.push_back(index);
  settle(heap_.size() - 1);
}

void Keys::release(const Key& key, const JobId& job) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end() && held_[*found].holder.job == job) remove(*found);
}

void Keys::sweep(Time now, std::size_t most) {
  for (; most > 0 && !heap_.empty() && end_at(0) <= now; --most)
    remove(heap_.front());
}

// The last key takes the place of the one that goes, in the list and in the heap.
void Keys::remove(Index index) {
  by_key_.erase(index);
  const std::size_t place = held_[index].place;
  const Index last_in_heap = heap_.back();
  heap_.pop_back();
  if (place < heap_.size()) {
    put(place, last_in_heap);
    settle(place);
  }
  const auto last = static_cast<Index>(held_.size() - 1);
  if (index != last) {
    by_key_.erase(last);
    held_[index] = held_[last];
    put(held_[index].place, index);
    by_key_.insert(index);
  }
  held_.pop_back();
  shrink();
}

void Keys::put(std::size_t place, Index index) {
  heap_[place] = index;
  held_[index].place = static_cast<Index>(place);
}

// Moves the key at a place to where its end belongs.
void Keys::settle(std::size_t place) {
  const Index index = heap_[place];
  const Time end = held_[index].holder.expires_at;
  while (place > 0 && end < end_at((place - 1) / 2)) {
    put(place, heap_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  while (true) {
    std::size_t child = 2 * place + 1;
    if (child + 1 < heap_.size() && end_at(child + 1) < end_at(child)) ++child;
    if (child >= heap_.size() || end_at(child) >= end) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, index);
}

void Keys::shrink() {
  if (held_.capacity() <= kLeastRoom || held_.size() * kUsedOfRoom > held_.capacity()) return;
  held_.shrink_to_fit();
  heap_.shrink_to_fit();
  by_key_.rehash(0);
}

}  // namespace baton::store::local
