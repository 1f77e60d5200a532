#include "store/local/keys.h"

#include <algorithm>
#include <string>

#include "base/sha256.h"

namespace baton::store::local {
namespace {

constexpr int kSweepAtOnce = 64;

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

const KeyHolder* Keys::find(const Key& key, base::Time now) const {
  const auto found = holders_.find(key);
  if (found == holders_.end() || now >= found->second.expires_at) return nullptr;
  return &found->second;
}

void Keys::hold(const Key& key, const KeyHolder& holder) {
  holders_[key] = holder;
  endings_.push_back({holder.expires_at, key});
}

void Keys::release(const Key& key, const JobId& job) {
  const auto found = holders_.find(key);
  if (found != holders_.end() && found->second.job == job) holders_.erase(found);
}

void Keys::sweep(base::Time now) {
  for (int i = 0; i < kSweepAtOnce && !endings_.empty() && endings_.front().at <= now; ++i) {
    const auto found = holders_.find(endings_.front().key);
    if (found != holders_.end() && found->second.expires_at <= now) holders_.erase(found);
    endings_.pop_front();
  }
}

}  // namespace baton::store::local
