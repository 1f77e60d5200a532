#include "engine/job_waits.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/assert.h"

namespace baton::engine {

struct JobWaits::Entry {
  JobId id;
  Done done;
  Alarm::Id alarm = 0;
  std::stop_token stop;
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
};

JobWaits::~JobWaits() { BATON_ASSERT(entries_.empty()); }

void JobWaits::wait(const JobId& id, Duration timeout, Done done, std::stop_token stop) {
  auto entry = std::make_shared<Entry>();
  entry->id = id;
  entry->done = std::move(done);
  entry->stop = std::move(stop);
  bool closed = false;
  {
    const std::lock_guard lock(mutex_);
    closed = closed_;
    if (!closed) {
      entries_[id].push_back(entry);
      entry->alarm = alarm_.after(timeout, [this, entry] {
        if (take(entry)) answer(entry);
      });
    }
  }
  if (closed) return answer(entry);
  // Only now, so that neither an end nor a stop between the look and the wait can be missed. The
  // callback must not keep the entry, which keeps the callback.
  if (entry->stop.stop_possible()) {
    entry->on_stop.emplace(entry->stop, [this, weak = std::weak_ptr(entry)] {
      if (const EntryPtr waiting = weak.lock()) give_up(waiting);
    });
  }
  look(entry);
}

void JobWaits::give_up(const EntryPtr& entry) {
  if (!take(entry)) return;
  entry->done(Error{Code::kShuttingDown, "the caller has gone", {}, {}});
}

void JobWaits::finish(const EntryPtr& entry,
                      const Result<std::shared_ptr<const store::JobRecord>>& found) {
  entry->on_stop.reset();
  entry->done(found);
}

void JobWaits::look(const EntryPtr& entry) {
  store_.get(entry->id,
             [this, entry](const Result<std::shared_ptr<const store::JobRecord>>& found) {
               if (found && !is_terminal((*found)->facts.state)) return;
               if (take(entry)) finish(entry, found);
             });
}

bool JobWaits::take(const EntryPtr& entry) {
  const std::lock_guard lock(mutex_);
  const auto place = entries_.find(entry->id);
  if (place == entries_.end()) return false;
  const auto one = std::find(place->second.begin(), place->second.end(), entry);
  if (one == place->second.end()) return false;
  alarm_.cancel(entry->alarm);
  place->second.erase(one);
  if (place->second.empty()) entries_.erase(place);
  return true;
}

void JobWaits::answer(const EntryPtr& entry) {
  store_.get(entry->id, [entry](const Result<std::shared_ptr<const store::JobRecord>>& found) {
    finish(entry, found);
  });
}

std::size_t JobWaits::waiting() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [id, entries] : entries_)
    count += entries.size();
  return count;
}

void JobWaits::happened(const std::vector<store::Happening>& happenings) {
  std::vector<EntryPtr> over;
  {
    const std::lock_guard lock(mutex_);
    if (entries_.empty()) return;
    for (const store::Happening& one : happenings) {
      if (!is_terminal(one.step.to)) continue;
      const auto place = entries_.find(one.job);
      if (place == entries_.end()) continue;
      over.insert(over.end(), place->second.begin(), place->second.end());
    }
  }
  for (const EntryPtr& entry : over) {
    if (take(entry)) answer(entry);
  }
}

void JobWaits::close() {
  std::vector<EntryPtr> all;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& [id, entries] : entries_)
      all.insert(all.end(), entries.begin(), entries.end());
  }
  for (const EntryPtr& entry : all) {
    if (take(entry)) answer(entry);
  }
}

}  // namespace baton::engine
