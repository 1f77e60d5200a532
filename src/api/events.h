// Server-Sent Events: clients that follow the changes of state as they happen. New events are
// handed on by the alarm's thread, so that the store's is not kept. A client that comes back says
// which event it saw last; when that one is forgotten it gets a `resync` event and reads anew what
// it needs. Any thread.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/alarm.h"
#include "engine/event_ring.h"
#include "http/handler.h"

namespace baton::api {

// Unset members let everything pass.
struct EventFilter {
  std::optional<std::string> queue;
  std::optional<store::JobId> job;

  bool passes(const store::Happening& what) const {
    return (!queue || *queue == what.queue) && (!job || *job == what.job);
  }
};

class EventStreams {
 public:
  // The alarm is stopped before the streams go.
  explicit EventStreams(engine::Alarm& alarm);
  ~EventStreams();
  EventStreams(const EventStreams&) = delete;
  EventStreams& operator=(const EventStreams&) = delete;

  // What the store tells its watcher.
  void happened(const std::vector<store::Happening>& happenings);

  // Begins to answer with events: those after `last_seen`, or from now on.
  void follow(http::Responder responder, EventFilter filter,
              std::optional<std::uint64_t> last_seen);

  // Ends all streams; no new one begins.
  void close();

 private:
  struct Follower {
    http::Responder responder;
    EventFilter filter;
    std::uint64_t seen;  // the last event that was looked at
  };

  void send_news();
  bool send_to(Follower& follower);
  void keep_alive();
  // Calls `keep` for each follower and forgets those for which it is false.
  template <class Keep>
  void each(Keep keep);

  engine::Alarm& alarm_;
  engine::EventRing ring_;
  std::atomic<bool> followed_ = false;  // somebody may want to know
  std::atomic<bool> news_due_ = false;  // the alarm will send
  std::mutex mutex_;
  std::list<Follower> followers_;    // guarded by mutex_, as all below
  engine::Alarm::Id next_sign_ = 0;  // of life, on quiet streams
  bool closed_ = false;
};

}  // namespace baton::api
