// A store in operation, with what goes on beside its commands: claims and waits that stand in line,
// who works, and the deletion of jobs that were kept long enough. An embedded Engine and a server
// both stand on one of these. Any thread may call the members.
#pragma once

#include <atomic>
#include <memory>

#include "base/clock.h"
#include "engine/alarm.h"
#include "engine/claim_line.h"
#include "engine/job_waits.h"
#include "engine/retention.h"
#include "engine/worker_registry.h"
#include "store/store.h"

namespace baton::engine {

class RunningStore {
 public:
  // The clock must outlive it.
  RunningStore(std::unique_ptr<store::Store> store, const base::Clock& clock);
  // As stop().
  ~RunningStore();
  RunningStore(const RunningStore&) = delete;
  RunningStore& operator=(const RunningStore&) = delete;

  // Has `watcher` told of what became durable, besides those who wait. Replaces an earlier one; at
  // the latest stop() ends it.
  void watch(store::Watcher watcher);

  // Answers claims and waits with what there is; from now on nobody waits.
  void close();
  bool closed() const { return closed_; }

  // close(), and then closes the store: on return nothing calls back any more. Only `closed()` may
  // be called after that. For owners whose members hang on this one.
  void stop();

  store::Store& store() { return *store_; }
  Alarm& alarm() { return alarm_; }
  WorkerRegistry& workers() { return workers_; }
  ClaimLine& claims() { return claims_; }
  JobWaits& waits() { return waits_; }

 private:
  Alarm alarm_;
  std::unique_ptr<store::Store> store_;
  WorkerRegistry workers_;
  ClaimLine claims_;
  JobWaits waits_;
  Retention retention_;
  std::atomic<bool> closed_ = false;
};

}  // namespace baton::engine
