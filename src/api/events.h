// Server-Sent Events: clients that follow the changes of state as they happen. The alarm's thread
// only tells the streams that there is something new; each renders its events on its connection's
// thread when its client has read the ones before, so that nothing piles up for who does not read.
// An event's id names the start of the server and the event. A client that comes back says which
// one it saw last; when the server cannot go on from there, or a client read too slowly, it gets a
// `resync` event and reads anew what it needs. Any thread.
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
  std::optional<JobId> job;

  bool passes(const store::Happening& what) const {
    return (!queue || *queue == what.queue) && (!job || *job == what.job);
  }
};

class EventStreams {
 public:
  // `epoch` is of this start of the server and of no other. The alarm is stopped before the streams
  // go.
  EventStreams(engine::Alarm& alarm, std::uint64_t epoch);
  ~EventStreams();
  EventStreams(const EventStreams&) = delete;
  EventStreams& operator=(const EventStreams&) = delete;

  // What the store tells its watcher.
  void happened(const std::vector<store::Happening>& happenings);

  // Begins to answer with events: those after the one with the id `last_seen`, or from now on. 503
  // when there are too many streams, or the server stops.
  void follow(http::Responder responder, EventFilter filter,
              std::optional<std::string_view> last_seen);

  // Ends all streams; no new one begins.
  void close();

 private:
  // Its own connection's thread, but for what says otherwise.
  struct Follower {
    EventFilter filter;
    std::uint64_t seen;                     // the last event that was looked at
    std::atomic<bool> sign_is_due = false;  // of life; any thread
  };
  struct Stream {
    http::Responder responder;
    std::shared_ptr<Follower> follower;
  };

  std::optional<std::uint64_t> number_of(std::string_view id) const;
  void tell_news();
  std::string next_piece(Follower& follower) const;
  void keep_alive();
  // Calls `keep` for each stream and forgets those for which it is false.
  template <class Keep>
  void each(Keep keep);

  engine::Alarm& alarm_;
  const std::string epoch_;
  engine::EventRing ring_;
  std::atomic<bool> followed_ = false;  // somebody may want to know
  std::atomic<bool> news_due_ = false;  // the alarm will tell
  std::mutex mutex_;
  std::list<Stream> streams_;        // guarded by mutex_, as all below
  engine::Alarm::Id next_sign_ = 0;  // of life, on quiet streams
  bool closed_ = false;
};

}  // namespace baton::api
