// Idempotency keys that still hold: which job answers for a key of a job type, and until when. A
// key is kept as a hash that nobody can make collide, so the text itself is not needed. Keys
// outlive the jobs in memory; they end exactly at their time. One thread at a time.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string_view>

#include "base/time.h"
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

struct KeyHolder {
  JobId job;
  base::Time created_at;
  base::Time expires_at;
};

class Keys {
 public:
  // The job that answers for the key at `now`, or nullptr.
  const KeyHolder* find(const Key& key, base::Time now) const;
  // The job takes the key, from whoever had it.
  void hold(const Key& key, const KeyHolder& holder);
  // The job gives the key back, if it has it.
  void release(const Key& key, const JobId& job);
  // Forgets keys that have ended, a few at a time.
  void sweep(base::Time now);
  std::size_t size() const { return holders_.size(); }

 private:
  struct Ending {
    base::Time at;
    Key key;
  };

  boost::unordered_flat_map<Key, KeyHolder, KeyHash> holders_;
  std::deque<Ending> endings_;  // about in order; a key that ends early waits for its turn
};

}  // namespace baton::store::local
