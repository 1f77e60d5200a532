#include "engine/recent_asks.h"

#include <algorithm>

namespace baton::engine {
namespace {

// Twice, because the lists are also the key by which they are found.
std::size_t bytes_of(const Ask& ask) {
  std::size_t bytes = sizeof(Ask);
  for (const auto* list : {&ask.queues, &ask.types}) {
    for (const std::string& name : *list)
      bytes += sizeof(std::string) + name.size();
  }
  return 2 * bytes;
}

}  // namespace

bool Ask::takes(std::string_view queue, std::string_view type) const {
  return std::find(queues.begin(), queues.end(), queue) != queues.end() &&
         (types.empty() || std::find(types.begin(), types.end(), type) != types.end());
}

RecentAsks::Line::iterator RecentAsks::place_of(const ClaimRequest& claim,
                                                const std::weak_ptr<const Ask>& latest) {
  const std::shared_ptr<const Ask> earlier = latest.lock();
  if (earlier && earlier->queues == claim.queues && earlier->types == claim.types) {
    // Only this class makes them, and what is forgotten is gone.
    return static_cast<const Kept&>(*earlier).place;
  }
  Lists lists{claim.queues, claim.types};
  if (const auto found = by_lists_.find(lists); found != by_lists_.end()) return found->second;
  Line added{std::make_shared<Kept>()};
  Kept& kept = *added.front();
  kept.queues = claim.queues;
  kept.types = claim.types;
  kept.place = added.begin();
  by_lists_.emplace(std::move(lists), kept.place);
  bytes_ += bytes_of(kept);
  line_.splice(line_.end(), added);
  return kept.place;
}

void RecentAsks::note(const ClaimRequest& claim, std::weak_ptr<const Ask>& latest, Time now) {
  const Line::iterator place = place_of(claim, latest);
  (*place)->last = now;
  latest = *place;
  line_.splice(line_.end(), line_, place);
  while (line_.size() > kMost || bytes_ > kMostBytes)
    forget_oldest();
}

void RecentAsks::forget_oldest() {
  const std::shared_ptr<Kept> oldest = line_.front();
  forgotten_ = std::max(forgotten_, oldest->last);
  bytes_ -= bytes_of(*oldest);
  by_lists_.erase({oldest->queues, oldest->types});
  line_.pop_front();
}

bool RecentAsks::none_since(Time since, std::string_view queue, std::string_view type) const {
  if (forgotten_.is_set() && forgotten_ >= since) return false;
  return std::none_of(line_.begin(), line_.end(), [&](const std::shared_ptr<Kept>& one) {
    return one->last >= since && one->takes(queue, type);
  });
}

}  // namespace baton::engine
