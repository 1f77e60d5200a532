// Callers that wait for a job to end, without a thread each: the store tells when one has. Any
// thread may call. The store and the alarm must outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "engine/alarm.h"
#include "store/store.h"

namespace baton::engine {

class JobWaits {
 public:
  using Done = store::Done<std::shared_ptr<const store::JobRecord>>;

  JobWaits(store::Store& store, Alarm& alarm) : store_(store), alarm_(alarm) {}
  ~JobWaits();
  JobWaits(const JobWaits&) = delete;
  JobWaits& operator=(const JobWaits&) = delete;

  // Answers with the job as soon as it has ended, or as it is when the time is over. not_found when
  // there is no such job; shutting_down as soon as `stop` is requested: the caller has gone.
  void wait(const JobId& id, Duration timeout, Done done, std::stop_token stop = {});

  // What the store tells its watcher.
  void happened(const std::vector<store::Happening>& happenings);

  // Answers all that wait with the job as it is. From now on nobody waits.
  void close();

  std::size_t waiting() const;

 private:
  struct Entry;
  using EntryPtr = std::shared_ptr<Entry>;

  // Takes the entry out; false when somebody else did.
  bool take(const EntryPtr& entry);
  void answer(const EntryPtr& entry);
  void give_up(const EntryPtr& entry);
  static void finish(const EntryPtr& entry,
                     const Result<std::shared_ptr<const store::JobRecord>>& found);
  void look(const EntryPtr& entry);

  store::Store& store_;
  Alarm& alarm_;
  mutable std::mutex mutex_;
  std::unordered_map<JobId, std::vector<EntryPtr>> entries_;  // guarded by mutex_
  bool closed_ = false;                                       // guarded by mutex_
};

}  // namespace baton::engine
