#include "lifecycle/profile.h"

#include <array>

#include "base/assert.h"
#include "lifecycle/profiles/tables.h"

namespace baton::lifecycle {
namespace {

// The order in which profiles are listed; the first is the default.
const std::array<const Profile*, 5> kProfiles = {
    &kStandardProfile, &kDocumentProfile, &kCommitProfile, &kGenerationProfile, &kLeaseProfile};

}  // namespace

std::span<const Profile* const> all_profiles() { return kProfiles; }

const Profile& default_profile() { return *kProfiles.front(); }

const Profile* find_profile(std::string_view name) {
  for (const Profile* profile : kProfiles) {
    if (profile->name == name) return profile;
  }
  return nullptr;
}

const Profile& profile_of(const QueueSettings& queue) {
  const Profile* profile = find_profile(queue.profile);
  BATON_ASSERT(profile != nullptr);
  return *profile;
}

}  // namespace baton::lifecycle
