// The parts of a ClaimLine: a claim in it, what all claims that ask for the same queues and types
// have in common, and a chance that a claim may get something. Plain values under the lock of the
// line; internal to it.
#pragma once

#include <algorithm>

#include "engine/claim_line.h"

namespace baton::engine {

// A reason to ask the store.
struct ClaimLine::Chance {
  enum class Kind : std::uint8_t {
    kReady,  // a job of this queue and type became ready
    kRoom,   // one more job of this queue may run
    kLook,   // nothing was told; a job was held back
  };
  Kind kind = Kind::kReady;
  std::uint64_t number = 0;  // they are counted
  std::string queue;
  std::string type;
  int hands = 0;  // it went through without being of use
};

// What claims for the same queues and types have in common.
struct ClaimLine::Shape {
  Shape(std::vector<std::string> its_queues, std::vector<std::string> its_types)
      : queues(std::move(its_queues)), types(std::move(its_types)), sorted_types(types) {
    std::sort(sorted_types.begin(), sorted_types.end());
  }

  const std::vector<std::string> queues;
  const std::vector<std::string> types;
  std::vector<std::string> sorted_types;
  std::set<std::uint64_t> idle;  // in the line, by arrival
  std::size_t members = 0;       // in the line, or asking
  std::uint64_t ready_at = 0;    // the latest news of a job for it
  std::uint64_t told_at = 0;     // the news that had come when the store last said what there is
  bool more = false;             // the store said: a job for it is left, or held back

  bool takes(const std::string& type) const {
    return types.empty() || std::binary_search(sorted_types.begin(), sorted_types.end(), type);
  }
  // Whether a ready job may be there for it.
  bool may_have() const { return more || ready_at > told_at; }
  bool may_use(const Chance& chance) const {
    return chance.kind == Chance::Kind::kReady ? takes(chance.type) : may_have();
  }
  bool wants(const Chance& chance) const {
    return std::find(queues.begin(), queues.end(), chance.queue) != queues.end() && may_use(chance);
  }
  void learn(std::uint64_t asked_at, bool more_left) {
    if (asked_at < told_at) return;
    told_at = asked_at;
    more = more_left;
  }
};

struct ClaimLine::Entry {
  WaitingClaim claim;
  ShapePtr shape;
  std::uint64_t number = 0;      // of its arrival
  std::uint64_t asked_at = 0;    // the news that had come when it last asked
  std::optional<Chance> chance;  // because of which it asks
  Duration end{};                // of its wait
  Alarm::Id alarm = 0;

  bool stopped() const { return claim.request.stop.stop_requested(); }

  std::optional<std::stop_callback<std::function<void()>>> on_stop;
};

}  // namespace baton::engine
