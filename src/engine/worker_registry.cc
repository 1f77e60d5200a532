#include "engine/worker_registry.h"

#include <algorithm>
#include <utility>

namespace baton::engine {
namespace {

// Executions that are looked up at a time. The others have their turn with their next calls.
constexpr std::size_t kLookUps = 64;

// About what they take as text.
constexpr std::size_t kWorkerBytes = 200;
constexpr std::size_t kHeldBytes = 160;

std::size_t text_bytes(const SeenWorker& worker) {
  std::size_t bytes = kWorkerBytes + worker.name.size() + worker.executions.size() * kHeldBytes;
  for (const auto* list : {&worker.queues, &worker.types}) {
    for (const std::string& name : *list)
      bytes += name.size() + 3;
  }
  return bytes;
}

ExecutionId execution_of(const JobId& job, const lifecycle::JobFacts& facts) {
  return execution_id(job, facts.execution.attempt);
}

}  // namespace

struct WorkerRegistry::Worker {
  const std::string name;
  std::weak_ptr<const Ask> ask = {};
  Time first_seen;
  Time last_seen = {};
  std::vector<Held*> executions = {};
  Line::iterator place = {};
  // False once the name is forgotten, and only executions still know of it.
  bool is_known = true;
};

WorkerRegistry::WorkerRegistry(store::Store& store, const base::Clock& clock)
    : store_(store), clock_(clock), started_(clock.wall()) {}

WorkerRegistry::~WorkerRegistry() = default;

// ---- What it is told ----------------------------------------------------------------------------

void WorkerRegistry::asked(const ClaimRequest& claim) {
  const Time now = clock_.wall();
  const std::lock_guard lock(mutex_);
  asks_.note(claim, named(claim.worker, now)->ask, now);
}

void WorkerRegistry::claimed(const std::string& worker,
                             const std::vector<store::ClaimedJob>& executions) {
  if (executions.empty()) return;
  const Time now = clock_.wall();
  const std::lock_guard lock(mutex_);
  const WorkerPtr holder = named(worker, now);
  for (const store::ClaimedJob& one : executions) {
    Held* held = find(one.execution);
    if (held == nullptr) continue;  // it has ended in the same turn
    held->lease_expires_at = one.facts.execution.lease_expires_at;
    attach(*held, holder);
  }
}

void WorkerRegistry::happened(const std::vector<store::Happening>& happenings) {
  const Time now = clock_.wall();
  const std::lock_guard lock(mutex_);
  for (const store::Happening& one : happenings) {
    if (one.step.to == JobState::kRunning) {
      Held& held = held_[one.job];
      detach(held);
      held.id = execution_id(one.job, one.step.attempt);
    } else if (one.step.from == JobState::kRunning) {
      const auto found = held_.find(one.job);
      if (found == held_.end()) continue;
      if (one.step.actor == Actor::kWorker) see(found->second, now);
      detach(found->second);
      held_.erase(found);
    }
  }
}

void WorkerRegistry::called(const std::vector<Result<store::CallAnswer>>& answers) {
  std::vector<ExecutionId> strangers;
  {
    const Time now = clock_.wall();
    const std::lock_guard lock(mutex_);
    for (const Result<store::CallAnswer>& answer : answers) {
      if (!answer || hear(*answer, now) || being_looked_up_ == kLookUps) continue;
      strangers.push_back(execution_of(answer->job, answer->facts));
      // Before the store is asked, so that an end that comes meanwhile takes it away again.
      held_[answer->job].id = strangers.back();
      ++being_looked_up_;
    }
  }
  for (const ExecutionId& id : strangers)
    look_up(id);
}

// False for a running execution that is not known.
bool WorkerRegistry::hear(const store::CallAnswer& answer, Time now) {
  const auto found = held_.find(answer.job);
  if (found == held_.end()) return answer.facts.state != JobState::kRunning;
  Held& held = found->second;
  if (held.id.attempt() == answer.facts.execution.attempt) {
    held.lease_expires_at = answer.facts.execution.lease_expires_at;
    see(held, now);
  }
  return true;
}

void WorkerRegistry::look_up(const ExecutionId& id) {
  store_.get(id.job(), [this, id](const Result<std::shared_ptr<const store::JobRecord>>& record) {
    looked_up(id, record ? record->get() : nullptr);
  });
}

void WorkerRegistry::looked_up(const ExecutionId& id, const store::JobRecord* record) {
  const Time now = clock_.wall();
  const std::lock_guard lock(mutex_);
  --being_looked_up_;
  Held* held = find(id);
  if (held == nullptr) return;
  const bool runs = record != nullptr && record->facts.state == JobState::kRunning &&
                    !record->executions.empty() &&
                    record->executions.back().facts.attempt == id.attempt();
  if (!runs) {
    detach(*held);
    held_.erase(id.job());
    return;
  }
  held->lease_expires_at = record->executions.back().facts.lease_expires_at;
  attach(*held, named(record->executions.back().worker, now));
}

// ---- Names and executions -----------------------------------------------------------------------

WorkerRegistry::WorkerPtr WorkerRegistry::named(const std::string& name, Time now) {
  const auto found = names_.find(name);
  if (found != names_.end()) {
    touch(**found->second, now);
    return *found->second;
  }
  const auto worker = std::make_shared<Worker>(Worker{.name = name, .first_seen = now});
  Line added{worker};
  worker->place = added.begin();
  names_.emplace(worker->name, worker->place);
  line_.splice(line_.end(), added);
  worker->last_seen = now;
  if (names_.size() > kMostNames) {
    const WorkerPtr longest_unseen = line_.front();
    longest_unseen->is_known = false;
    names_.erase(longest_unseen->name);
    line_.pop_front();
  }
  return worker;
}

void WorkerRegistry::touch(Worker& worker, Time now) {
  worker.last_seen = now;
  line_.splice(line_.end(), line_, worker.place);
}

void WorkerRegistry::see(Held& held, Time now) {
  if (!held.worker) return;
  if (held.worker->is_known) return touch(*held.worker, now);
  // Its name was forgotten, and may have come back with a claim.
  attach(held, named(held.worker->name, now));
}

WorkerRegistry::Held* WorkerRegistry::find(const ExecutionId& id) {
  const auto found = held_.find(id.job());
  return found != held_.end() && found->second.id == id ? &found->second : nullptr;
}

void WorkerRegistry::attach(Held& held, const WorkerPtr& worker) {
  const WorkerPtr kept = worker;  // the argument may be the one that is given up
  detach(held);
  held.place = kept->executions.size();
  kept->executions.push_back(&held);
  held.worker = kept;
}

// The last of the worker's executions takes its place.
void WorkerRegistry::detach(Held& held) {
  if (!held.worker) return;
  std::vector<Held*>& executions = held.worker->executions;
  executions.back()->place = held.place;
  executions[held.place] = executions.back();
  executions.pop_back();
  held.worker.reset();
}

// ---- What it knows ------------------------------------------------------------------------------

WorkerRegistry::Page WorkerRegistry::list(std::string_view after, std::size_t limit) const {
  const std::vector<WorkerPtr> next = next_by_name(after, limit + 1);
  Page page;
  std::size_t bytes = 0;
  for (const WorkerPtr& worker : next) {
    page.more = page.workers.size() == limit || bytes > kPageBytes;
    if (page.more) break;
    // One at a time: claims go on in between.
    page.workers.push_back(shown(*worker));
    bytes += text_bytes(page.workers.back());
  }
  return page;
}

std::vector<WorkerRegistry::WorkerPtr> WorkerRegistry::next_by_name(std::string_view after,
                                                                    std::size_t limit) const {
  const auto by_name = [](const WorkerPtr& a, const WorkerPtr& b) { return a->name < b->name; };
  std::vector<WorkerPtr> found;
  {
    const Time since = clock_.wall() + Duration(-kRecently.ms);
    const std::lock_guard lock(mutex_);
    for (const WorkerPtr& worker : line_) {
      if (worker->last_seen >= since && worker->name > after) found.push_back(worker);
    }
  }
  const std::size_t count = std::min(limit, found.size());
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(found.begin(), end, found.end(), by_name);
  found.erase(end, found.end());
  return found;
}

SeenWorker WorkerRegistry::shown(const Worker& worker) const {
  const std::lock_guard lock(mutex_);
  SeenWorker seen{.name = worker.name,
                  .first_seen = worker.first_seen,
                  .last_seen = worker.last_seen,
                  .execution_count = static_cast<std::int64_t>(worker.executions.size())};
  if (const std::shared_ptr<const Ask> ask = worker.ask.lock()) {
    seen.queues = ask->queues;
    seen.types = ask->types;
  }
  for (const Held* held : worker.executions) {
    if (seen.executions.size() == kMostShown) break;
    seen.executions.push_back({held->id, held->lease_expires_at});
  }
  return seen;
}

std::optional<WorkerRegistry::Heard> WorkerRegistry::last_heard(std::string_view worker) const {
  const Time now = clock_.wall();
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(worker);
  if (found == names_.end()) return std::nullopt;
  const Time at = (*found->second)->last_seen;
  return Heard{at, std::max(now - at, Duration(0))};
}

std::optional<Duration> WorkerRegistry::unasked(std::string_view queue,
                                                std::string_view type) const {
  const Time now = clock_.wall();
  const Time since = std::max(started_, now + Duration(-kRecently.ms));
  const std::lock_guard lock(mutex_);
  if (!asks_.none_since(since, queue, type)) return std::nullopt;
  return std::max(now - since, Duration(0));
}

WorkerRegistry::Sizes WorkerRegistry::sizes() const {
  const std::lock_guard lock(mutex_);
  return {names_.size(), asks_.size(), held_.size()};
}

}  // namespace baton::engine
