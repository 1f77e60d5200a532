// Who works, in memory only: the names in claims, what each asked for the last time, when it was
// last seen, and which executions it holds. A worker is seen when it claims, also when it waits or
// gets nothing, and when it calls with the token of an execution. Of those that are not heard from
// any more, the longest unseen are forgotten first.
//
// After a start nobody is known. A call on an execution that was claimed before has its worker
// looked up in the store, for a few executions at a time.
//
// Any thread may call. The store must outlive it but for its last answers, and it those.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "baton/seen_worker.h"
#include "engine/recent_asks.h"
#include "store/ids.h"
#include "store/store.h"

namespace baton::engine {

class WorkerRegistry {
 public:
  // For how long a worker is shown, and a claim counts, after it was seen.
  static constexpr Duration kRecently = std::chrono::minutes(10);
  static constexpr std::size_t kMostNames = 10'000;
  static constexpr std::size_t kMostShown = 100;  // executions of one worker
  // A page of workers ends after about so much text, whatever its limit.
  static constexpr std::size_t kPageBytes = std::size_t{4} << 20;

  WorkerRegistry(store::Store& store, const base::Clock& clock);
  ~WorkerRegistry();
  WorkerRegistry(const WorkerRegistry&) = delete;
  WorkerRegistry& operator=(const WorkerRegistry&) = delete;

  // ---- What it is told

  // A claim has arrived that a store would accept.
  void asked(const ClaimRequest& claim);
  // The worker has got these. Told inside the store's answer, so after `happened`.
  void claimed(const std::string& worker, const std::vector<store::ClaimedJob>& executions);
  // The store has answered calls of workers.
  void called(const std::vector<Result<store::CallAnswer>>& answers);
  // What the store tells its watcher of what it keeps (Watchers::kept).
  void happened(const std::vector<store::Happening>& happenings);

  // ---- What it knows

  struct Page {
    std::vector<SeenWorker> workers;
    bool more = false;
  };
  // Workers that were seen recently, by name: those that follow `after`, at most `limit`.
  Page list(std::string_view after, std::size_t limit) const;

  struct Heard {
    Time at;
    Duration ago;
  };
  // nullopt when the name is not known.
  std::optional<Heard> last_heard(std::string_view worker) const;

  // For how long it is certain that nobody has asked for jobs of this type in this queue: kRecently
  // or, when the registry is younger, its age. nullopt when somebody has.
  std::optional<Duration> unasked(std::string_view queue, std::string_view type) const;

  struct Sizes {
    std::size_t names = 0;
    std::size_t asks = 0;
    std::size_t executions = 0;
  };
  Sizes sizes() const;

 private:
  struct Worker;
  using WorkerPtr = std::shared_ptr<Worker>;
  using Line = std::list<WorkerPtr>;

  // A running execution. Its worker is null until the claim is answered, or the store was asked.
  struct Held {
    ExecutionId id;
    Time lease_expires_at;
    WorkerPtr worker;
    std::size_t place = 0;  // in the worker's list
  };

  void look_up(const ExecutionId& id);
  void looked_up(const ExecutionId& id, const store::JobRecord* record);
  std::vector<WorkerPtr> next_by_name(std::string_view after, std::size_t limit) const;
  SeenWorker shown(const Worker& worker) const;

  // Under the lock.
  WorkerPtr named(const std::string& name, Time now);
  void see(Held& held, Time now);
  void touch(Worker& worker, Time now);
  Held* find(const ExecutionId& id);
  static void attach(Held& held, const WorkerPtr& worker);
  static void detach(Held& held);
  bool hear(const store::CallAnswer& answer, Time now);

  store::Store& store_;
  const base::Clock& clock_;
  const Time started_;

  mutable std::mutex mutex_;
  Line line_;  // guarded by mutex_, as all below; the longest unseen first
  std::unordered_map<std::string_view, Line::iterator> names_;
  std::unordered_map<JobId, Held> held_;
  RecentAsks asks_;
  std::size_t being_looked_up_ = 0;
};

}  // namespace baton::engine
