// Idempotency keys that still hold: which job answers for a key of a job type, and until when. A
// key is kept as a hash that nobody can make collide, so the text itself is not needed. Keys
// outlive the jobs in memory; they end exactly at their time. Those that have ended are forgotten
// in the order of their ends, whatever others hold for longer. One thread at a time.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "baton/job.h"
#include "store/ids.h"

namespace baton::store::local {

struct Key {
  std::array<std::uint8_t, 16> bytes{};
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::size_t bits;
    std::memcpy(&bits, key.bytes.data(), sizeof bits);
    return bits;
  }
};

Key make_key(std::string_view job_type, std::string_view text);

// The first 64 bits of a hash over a payload and its content type. All zero: not known, because the
// job was made before such hashes were kept.
struct PayloadHash {
  std::array<std::uint8_t, 8> bytes{};

  bool is_known() const { return *this != PayloadHash{}; }
  friend bool operator==(const PayloadHash&, const PayloadHash&) = default;
};

PayloadHash hash_payload(const Submission& job);

// Whether a submission with the hash `b` brings another payload than the one with `a`; unset when
// nobody knows.
std::optional<bool> differ(const PayloadHash& a, const PayloadHash& b);

struct KeyHolder {
  JobId job;
  Time created_at;
  Time expires_at;
  PayloadHash payload = {};
};

class Keys {
 public:
  Keys();

  // The job that answers for the key at `now`, or nullptr.
  const KeyHolder* find(const Key& key, Time now) const;
  // The job takes the key, from whoever had it.
  void hold(const Key& key, const KeyHolder& holder);
  // The job gives the key back, if it has it.
  void release(const Key& key, const JobId& job);
  // Forgets keys that have ended, at most so many.
  void sweep(Time now, std::size_t most);
  std::size_t size() const { return held_.size(); }
  // How many keys have room in memory as it is.
  std::size_t room() const { return held_.capacity(); }

 private:
  using Index = std::uint32_t;

  struct Held {
    Key key;
    KeyHolder holder;
    Index place = 0;  // in the heap
  };
  struct Hash {
    using is_transparent = void;
    const std::vector<Held>* held;
    std::size_t operator()(Index index) const { return KeyHash{}((*held)[index].key); }
    std::size_t operator()(const Key& key) const { return KeyHash{}(key); }
  };
  struct Equal {
    using is_transparent = void;
    const std::vector<Held>* held;
    bool operator()(Index a, Index b) const { return a == b; }
    bool operator()(Index a, const Key& b) const { return (*held)[a].key == b; }
    bool operator()(const Key& a, Index b) const { return (*held)[b].key == a; }
  };

  void remove(Index index);
  Time end_at(std::size_t place) const { return held_[heap_[place]].holder.expires_at; }
  void put(std::size_t place, Index index);
  void settle(std::size_t place);
  void shrink();

  std::vector<Held> held_;   // without gaps
  std::vector<Index> heap_;  // the key that ends first is at the front
  boost::unordered_flat_set<Index, Hash, Equal> by_key_;
};

}  // namespace baton::store::local
