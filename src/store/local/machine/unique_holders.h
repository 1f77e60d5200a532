// The unique keys that live jobs hold: which job has a key of a job type. A key is kept as a hash
// that nobody can make collide. It is held at most as long as its job lives, so ended jobs have
// none. One thread at a time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "store/local/machine/keys.h"

namespace baton::store::local {

class UniqueHolders {
 public:
  // The job that holds the key, or nullptr.
  const JobId* find(const Key& key) const;
  // The job takes the key, which nobody holds.
  void hold(const Key& key, const JobId& job) { holders_[key] = job; }
  // The job gives the key back, if it has it.
  void release(const Key& key, const JobId& job);
  std::size_t size() const { return holders_.size(); }

 private:
  boost::unordered_flat_map<Key, JobId, KeyHash> holders_;
};

}  // namespace baton::store::local
