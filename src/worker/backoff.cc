#include "worker/backoff.h"

#include <algorithm>

namespace baton::worker {

Duration Backoff::next(Duration most) {
  const Duration doubled = std::max(planned_ + planned_, patience_.first);
  planned_ = std::min(doubled, patience_.most);
  const Duration wait = std::min(planned_, std::max(most, patience_.first));
  const auto half = static_cast<std::uint64_t>(wait.ms / 2);
  return wait - Duration(static_cast<std::int64_t>(random_.below(half + 1)));
}

}  // namespace baton::worker
