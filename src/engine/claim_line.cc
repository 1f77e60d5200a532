#include "engine/claim_line.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/assert.h"

namespace baton::engine {
namespace {

// How often claims that wait ask without having been told of anything.
constexpr base::Duration kLookEvery = base::milliseconds(100);

// How many jobs of one type became ready in one queue.
struct News {
  std::string_view queue;
  std::string_view type;  // empty: any
  int count = 0;
};

// A job that became ready; or one that stopped running, which may leave room for another.
bool may_be_claimed(const lifecycle::HistoryEntry& step) {
  return step.to == lifecycle::JobState::kScheduled || step.from == lifecycle::JobState::kRunning;
}

std::vector<News> news_of(const std::vector<store::Happening>& happenings) {
  std::vector<News> all;
  for (const store::Happening& one : happenings) {
    if (!may_be_claimed(one.step)) continue;
    const bool ready = one.step.to == lifecycle::JobState::kScheduled;
    const std::string_view type = ready ? one.type : std::string_view();
    const auto same = std::find_if(all.begin(), all.end(), [&](const News& news) {
      return news.queue.data() == one.queue.data() && news.type.data() == type.data();
    });
    if (same == all.end()) {
      all.push_back({one.queue, type, 1});
    } else {
      ++same->count;
    }
  }
  return all;
}

}  // namespace

struct ClaimLine::Entry {
  WaitingClaim claim;
  std::uint64_t number = 0;    // of its arrival
  std::uint64_t asked_at = 0;  // the news that had come when it last asked
  base::Duration end{};        // of its wait
  Alarm::Id alarm = 0;

  bool takes(std::string_view type) const {
    const auto& types = claim.request.types;
    return type.empty() || types.empty() ||
           std::find(types.begin(), types.end(), type) != types.end();
  }
  bool stopped() const { return claim.stop.stop_requested(); }

  std::optional<std::stop_callback<std::function<void()>>> on_stop;
};

ClaimLine::ClaimLine(store::Store& store, Alarm& alarm, const base::Clock& clock)
    : store_(store), alarm_(alarm), clock_(clock) {}

ClaimLine::~ClaimLine() { BATON_ASSERT(line_.empty()); }

void ClaimLine::claim(WaitingClaim claim) {
  auto entry = std::make_shared<Entry>();
  entry->end = clock_.monotonic() + claim.wait;
  entry->claim = std::move(claim);
  {
    const std::lock_guard lock(mutex_);
    entry->number = ++arrivals_;
  }
  if (entry->claim.stop.stop_possible()) {
    entry->on_stop.emplace(entry->claim.stop, [this, number = entry->number] { end_wait(number); });
  }
  ask(entry);
}

void ClaimLine::ask(const EntryPtr& entry) {
  bool closed = false;
  {
    const std::lock_guard lock(mutex_);
    entry->asked_at = news_;
    closed = closed_;
  }
  if (closed || entry->stopped()) return finish(entry, store::ClaimAnswer{});
  store_.claim(entry->claim.request, [this, entry](base::Result<store::ClaimAnswer> answer) {
    answered(entry, std::move(answer));
  });
}

void ClaimLine::answered(const EntryPtr& entry, base::Result<store::ClaimAnswer> answer) {
  if (!answer || !answer->executions.empty()) return finish(entry, std::move(answer));
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    if (!closed_ && !entry->stopped() && clock_.monotonic() < entry->end) {
      again = woken_since_asked(*entry);
      if (!again) {
        stand(entry);
        return;
      }
    }
  }
  if (again) return ask(entry);
  finish(entry, std::move(answer));
}

void ClaimLine::finish(const EntryPtr& entry, base::Result<store::ClaimAnswer> answer) {
  // Not under the lock: the callback may be under way on another thread, and wants it.
  entry->on_stop.reset();
  entry->claim.done(std::move(answer));
}

// Whether something came into its queues after it asked, when it was not in the line.
bool ClaimLine::woken_since_asked(const Entry& entry) const {
  return std::any_of(entry.claim.request.queues.begin(), entry.claim.request.queues.end(),
                     [&](const std::string& queue) {
                       const auto woken = woken_at_.find(queue);
                       return woken != woken_at_.end() && woken->second > entry.asked_at;
                     });
}

void ClaimLine::stand(const EntryPtr& entry) {
  line_.emplace(entry->number, entry);
  for (const std::string& queue : entry->claim.request.queues)
    by_queue_[queue].insert(entry->number);
  entry->alarm = alarm_.at(entry->end, [this, number = entry->number] { end_wait(number); });
  if (look_ == 0) look_ = alarm_.after(kLookEvery, [this] { look_around(); });
}

void ClaimLine::leave(const Entry& entry) {
  alarm_.cancel(entry.alarm);
  for (const std::string& queue : entry.claim.request.queues) {
    const auto place = by_queue_.find(queue);
    if (place == by_queue_.end()) continue;
    place->second.erase(entry.number);
    if (place->second.empty()) by_queue_.erase(place);
  }
  line_.erase(entry.number);
}

ClaimLine::EntryPtr ClaimLine::first_for(std::string_view queue, std::string_view type) {
  const auto place = by_queue_.find(std::string(queue));
  if (place == by_queue_.end()) return nullptr;
  for (const std::uint64_t number : place->second) {
    const EntryPtr& entry = line_.at(number);
    if (entry->takes(type)) return entry;
  }
  return nullptr;
}

void ClaimLine::happened(const std::vector<store::Happening>& happenings) {
  const std::vector<News> all = news_of(happenings);
  if (all.empty()) return;
  std::vector<EntryPtr> woken;
  {
    const std::lock_guard lock(mutex_);
    ++news_;
    for (const News& news : all) {
      woken_at_[std::string(news.queue)] = news_;
      for (int i = 0; i < news.count; ++i) {
        EntryPtr entry = first_for(news.queue, news.type);
        if (!entry) break;
        leave(*entry);
        woken.push_back(std::move(entry));
      }
    }
  }
  for (const EntryPtr& entry : woken)
    ask(entry);
}

// The first of all that ask for the same asks again; when it gets something, the store tells of
// that, and the next one asks.
void ClaimLine::look_around() {
  std::vector<EntryPtr> asking;
  {
    const std::lock_guard lock(mutex_);
    look_ = 0;
    std::set<std::pair<std::vector<std::string>, std::vector<std::string>>> seen;
    for (const auto& [number, entry] : line_) {
      if (!seen.emplace(entry->claim.request.queues, entry->claim.request.types).second) continue;
      asking.push_back(entry);
    }
    for (const EntryPtr& entry : asking)
      leave(*entry);
    if (!line_.empty()) look_ = alarm_.after(kLookEvery, [this] { look_around(); });
  }
  for (const EntryPtr& entry : asking)
    ask(entry);
}

void ClaimLine::end_wait(std::uint64_t number) {
  EntryPtr entry;
  {
    const std::lock_guard lock(mutex_);
    const auto place = line_.find(number);
    if (place == line_.end()) return;
    entry = place->second;
    leave(*entry);
  }
  finish(entry, store::ClaimAnswer{});
}

void ClaimLine::close() {
  std::vector<EntryPtr> all;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& [number, entry] : line_)
      all.push_back(entry);
    for (const EntryPtr& entry : all)
      leave(*entry);
    if (look_ != 0) alarm_.cancel(look_);
    look_ = 0;
  }
  for (const EntryPtr& entry : all)
    finish(entry, store::ClaimAnswer{});
}

std::size_t ClaimLine::waiting() const {
  const std::lock_guard lock(mutex_);
  return line_.size();
}

}  // namespace baton::engine
