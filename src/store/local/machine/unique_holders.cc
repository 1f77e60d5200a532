#include "store/local/machine/unique_holders.h"

namespace baton::store::local {

const JobId* UniqueHolders::find(const Key& key) const {
  const auto found = holders_.find(key);
  return found == holders_.end() ? nullptr : &found->second;
}

void UniqueHolders::release(const Key& key, const JobId& job) {
  const auto found = holders_.find(key);
  if (found != holders_.end() && found->second == job) holders_.erase(found);
}

}  // namespace baton::store::local
