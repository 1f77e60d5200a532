// The five tables. Only the list in profile.cc includes this.
#pragma once

#include "lifecycle/profile.h"

namespace baton::lifecycle {

extern const Profile kStandardProfile;
extern const Profile kDocumentProfile;
extern const Profile kCommitProfile;
extern const Profile kGenerationProfile;
extern const Profile kLeaseProfile;

}  // namespace baton::lifecycle
