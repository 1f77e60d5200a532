// What claims have asked for lately: each combination of queues and types once, however many
// workers ask for it, with the time of the latest claim. Bounded in number and bytes; what was
// asked for the longest ago is forgotten first, and then nobody is told that it was not asked for.
// It locks nothing: its owner does.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "baton/time.h"
#include "baton/work_source.h"

namespace baton::engine {

struct Ask {
  std::vector<std::string> queues;
  std::vector<std::string> types;  // empty: all
  Time last;

  bool takes(std::string_view queue, std::string_view type) const;
};

class RecentAsks {
 public:
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20;

  // Notes the claim. `latest` is what its worker asked for the last time, and becomes what it asks
  // for now; when they are the same, nothing is searched. It is empty once that is forgotten.
  void note(const ClaimRequest& claim, std::weak_ptr<const Ask>& latest, Time now);

  // Whether it is certain that no claim since then asked for jobs of this type in this queue.
  bool none_since(Time since, std::string_view queue, std::string_view type) const;

  std::size_t size() const { return by_lists_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  using Lists = std::pair<std::vector<std::string>, std::vector<std::string>>;
  struct Kept : Ask {
    std::list<std::shared_ptr<Kept>>::iterator place;
  };
  using Line = std::list<std::shared_ptr<Kept>>;

  Line::iterator place_of(const ClaimRequest& claim, const std::weak_ptr<const Ask>& latest);
  void forget_oldest();

  Line line_;  // the longest ago first
  std::map<Lists, Line::iterator> by_lists_;
  std::size_t bytes_ = 0;
  Time forgotten_;  // when the latest that was forgotten had been asked for
};

}  // namespace baton::engine
