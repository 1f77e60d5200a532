// The latest changes of state, in memory, for those who follow them. Each has a number that rises
// by one; a reader says which it saw last and gets what came after, or is told that it is too late
// for that. Numbers begin anew when the program does: who hands them out says of which
// start they are. Any thread may call.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/commands.h"

namespace baton::engine {

struct JobEvent {
  std::uint64_t number = 0;
  store::Happening what;
  std::shared_ptr<const std::string> texts = {};  // where its queue and type stand
};

class EventRing {
 public:
  explicit EventRing(std::size_t capacity) : capacity_(capacity) {}

  // What the store tells its watcher.
  void happened(const std::vector<store::Happening>& happenings);

  // The number of the latest event; 0 when there is none.
  std::uint64_t last() const;

  struct Reading {
    std::vector<JobEvent> events;  // oldest first
    bool missed = false;           // there were others before them, which are forgotten
  };
  // What came after the event `after`, at most `limit` of them. A number that was never given
  // counts as one that is forgotten.
  Reading read(std::uint64_t after, std::size_t limit) const;

 private:
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::deque<JobEvent> events_;  // guarded by mutex_
  std::uint64_t last_ = 0;       // guarded by mutex_
};

}  // namespace baton::engine
