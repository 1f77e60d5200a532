#include "worker/backoff.h"

#include <algorithm>

namespace baton::worker {

Duration Backoff::next(Duration most) {
  const Duration doubled = std::max(planned_ * 2, patience_.first);
  planned_ = std::min(doubled, patience_.most);
  const Duration wait = std::min(planned_, std::max(most, patience_.first));
  const auto half = static_cast<std::uint64_t>(wait.count() / 2);
  return wait - Duration(random_.below(half + 1));
}

}  // namespace baton::worker
