// Claims that wait for a job to come, without a thread: they stand in line, and when the store
// tells that a job was made ready in a queue, as many of them ask again as jobs came, those that
// waited longest first; the store then gives the job away in the same durable step. What the store
// does not tell (a rate that allows the next job, a limit that was lifted) is found by asking now
// and then, once for all claims that ask for the same.
//
// Any thread may call. The store and the alarm must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/alarm.h"
#include "store/store.h"

namespace baton::engine {

// A claim, and how long it may wait for a first job.
struct WaitingClaim {
  store::ClaimRequest request;
  base::Duration wait{};
  std::stop_token stop;  // requested: the caller has gone, and nothing is claimed for it any more
  // Called exactly once; with no executions when the wait is over, stopped, or the line closed.
  store::Done<store::ClaimAnswer> done;
};

class ClaimLine {
 public:
  ClaimLine(store::Store& store, Alarm& alarm, const base::Clock& clock);
  // Nothing may be under way: close() it, and let the store answer.
  ~ClaimLine();
  ClaimLine(const ClaimLine&) = delete;
  ClaimLine& operator=(const ClaimLine&) = delete;

  void claim(WaitingClaim claim);

  // What the store tells its watcher of what was made (Watchers::made).
  void happened(const std::vector<store::Happening>& happenings);

  // Answers all that wait with nothing. From now on nobody waits, and nobody gets anything.
  void close();

  std::size_t waiting() const;

 private:
  struct Entry;
  using EntryPtr = std::shared_ptr<Entry>;

  void ask(const EntryPtr& entry);
  void answered(const EntryPtr& entry, base::Result<store::ClaimAnswer> answer);
  void finish(const EntryPtr& entry, base::Result<store::ClaimAnswer> answer);
  bool woken_since_asked(const Entry& entry) const;
  void stand(const EntryPtr& entry);
  void leave(const Entry& entry);
  EntryPtr first_for(std::string_view queue, std::string_view type);
  void look_around();
  void end_wait(std::uint64_t number);

  store::Store& store_;
  Alarm& alarm_;
  const base::Clock& clock_;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, EntryPtr> line_;  // guarded by mutex_, as all below; by arrival
  std::unordered_map<std::string, std::set<std::uint64_t>> by_queue_;
  std::unordered_map<std::string, std::uint64_t> woken_at_;  // when a queue last had news
  std::uint64_t news_ = 0;                                   // counts calls of happened()
  std::uint64_t arrivals_ = 0;
  bool closed_ = false;
  Alarm::Id look_ = 0;
};

}  // namespace baton::engine
