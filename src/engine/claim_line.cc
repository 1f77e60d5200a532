#include "engine/claim_line.h"

#include <algorithm>

#include "base/assert.h"
#include "engine/claim_shape.h"
#include "store/check_claim.h"

namespace baton::engine {
namespace {

// How often claims to which a job is held back ask without having been told of anything, and for
// how many different requests in one look.
constexpr Duration kLookEvery = base::milliseconds(100);
constexpr std::size_t kAskInOneLook = 32;
// Room for a job goes to so many that turn out to have none for it; the next look finds the rest.
constexpr int kMostHands = 16;
// Chances that are kept for those that ask just now. Beyond, the next look finds what was dropped.
constexpr std::size_t kMostKept = 4096;

// Whether a job that the claim was told of is among those that it got.
bool got_told(const store::ClaimAnswer& answer, std::string_view queue, std::string_view type) {
  return std::any_of(
      answer.executions.begin(), answer.executions.end(), [&](const store::ClaimedJob& one) {
        return one.record && one.record->spec->queue == queue && one.record->spec->type == type;
      });
}

}  // namespace

ClaimLine::ClaimLine(store::Store& store, Alarm& alarm, WorkerRegistry& workers,
                     const base::Clock& clock)
    : store_(store), alarm_(alarm), workers_(workers), clock_(clock) {}

ClaimLine::~ClaimLine() { BATON_ASSERT(line_.empty()); }

void ClaimLine::claim(WaitingClaim claim) {
  if (const auto checked = store::check_claim(claim.request); !checked) {
    return claim.done(checked.error());
  }
  workers_.asked(claim.request);
  auto entry = std::make_shared<Entry>();
  entry->end = clock_.monotonic() + claim.request.wait;
  entry->claim = std::move(claim);
  {
    const std::lock_guard lock(mutex_);
    entry->number = ++arrivals_;
  }
  if (const std::stop_token& stop = entry->claim.request.stop; stop.stop_possible()) {
    entry->on_stop.emplace(stop, [this, number = entry->number] { end_wait(number); });
  }
  {
    const std::lock_guard lock(mutex_);
    join(entry);
    // Where others wait for the same, there is nothing for it either: its place is behind them.
    if (may_wait(*entry) && !entry->shape->idle.empty()) return stand(entry);
    begin_asking(entry);
  }
  ask(entry);
}

// ---- Asking -------------------------------------------------------------------------------------

void ClaimLine::begin_asking(const EntryPtr& entry) {
  entry->asked_at = news_;
  asking_.emplace(entry->asked_at, entry->number);
}

void ClaimLine::ask(const EntryPtr& entry) {
  bool closed = false;
  {
    const std::lock_guard lock(mutex_);
    closed = closed_;
  }
  if (closed || entry->stopped()) return answered(entry, store::ClaimAnswer{});
  store_.claim(entry->claim.request, [this, entry](Result<store::ClaimAnswer> answer) {
    answered(entry, std::move(answer));
  });
}

void ClaimLine::ask_all(const Woken& woken) {
  for (const EntryPtr& entry : woken)
    ask(entry);
}

void ClaimLine::answered(const EntryPtr& entry, Result<store::ClaimAnswer> answer) {
  Woken woken;
  bool again = false;
  bool over = true;
  {
    const std::lock_guard lock(mutex_);
    asking_.erase({entry->asked_at, entry->number});
    const std::optional<Chance> chance = std::exchange(entry->chance, std::nullopt);
    Shape& shape = *entry->shape;
    // What was not asked, because the caller had gone, says nothing.
    if (answer && !entry->stopped()) shape.learn(entry->asked_at, answer->more);
    if (answer && answer->executions.empty() && may_wait(*entry)) {
      over = false;
      again = take_kept_chance(entry);
      again ? begin_asking(entry) : stand(entry);
    }
    if (over) leave(entry);
    if (chance && !closed_) hand_on(*chance, *entry, answer, woken);
    drop_kept_chances();
  }
  if (over) finish(entry, std::move(answer));
  if (again) ask(entry);
  ask_all(woken);
}

void ClaimLine::finish(const EntryPtr& entry, Result<store::ClaimAnswer> answer) {
  // Not under the lock: the callback may be under way on another thread, and wants it.
  entry->on_stop.reset();
  if (answer) workers_.claimed(entry->claim.request.worker, answer->executions);
  entry->claim.done(std::move(answer));
}

// ---- The line -----------------------------------------------------------------------------------

void ClaimLine::join(const EntryPtr& entry) {
  const ClaimRequest& request = entry->claim.request;
  ShapePtr& shape = shapes_[{request.queues, request.types}];
  if (!shape) {
    shape = std::make_shared<Shape>(request.queues, request.types);
    for (const std::string& queue : request.queues)
      by_queue_[queue].insert(shape.get());
  }
  ++shape->members;
  entry->shape = shape;
}

// For good. The shape stays with the entry.
void ClaimLine::leave(const EntryPtr& entry) {
  if (entry->alarm != 0) alarm_.cancel(entry->alarm);
  Shape& shape = *entry->shape;
  shape.idle.erase(entry->number);
  line_.erase(entry->number);
  if (--shape.members > 0) return;
  for (const std::string& queue : shape.queues) {
    const auto place = by_queue_.find(queue);
    if (place == by_queue_.end()) continue;
    place->second.erase(&shape);
    if (place->second.empty()) by_queue_.erase(place);
  }
  shapes_.erase({shape.queues, shape.types});
}

bool ClaimLine::may_wait(const Entry& entry) const {
  return !closed_ && !entry.stopped() && clock_.monotonic() < entry.end;
}

void ClaimLine::stand(const EntryPtr& entry) {
  line_.emplace(entry->number, entry);
  entry->shape->idle.insert(entry->number);
  if (entry->alarm == 0) {
    entry->alarm = alarm_.at(entry->end, [this, number = entry->number] { end_wait(number); });
  }
  if (look_ == 0) look_ = alarm_.after(kLookEvery, [this] { look_around(); });
}

void ClaimLine::end_wait(std::uint64_t number) {
  EntryPtr entry;
  {
    const std::lock_guard lock(mutex_);
    const auto place = line_.find(number);
    if (place == line_.end()) return;  // it asks just now, and ends with the answer
    entry = place->second;
    leave(entry);
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
      leave(entry);
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

// ---- Chances ------------------------------------------------------------------------------------

void ClaimLine::happened(const std::vector<store::Happening>& happenings) {
  Woken woken;
  {
    const std::lock_guard lock(mutex_);
    if (shapes_.empty()) return;
    for (const store::Happening& one : happenings) {
      const bool ready = one.step.to == JobState::kScheduled;
      if (!ready && !one.room) continue;
      const std::string queue(one.queue);
      if (!by_queue_.contains(queue)) continue;
      if (ready) {
        Chance chance{Chance::Kind::kReady, ++news_, queue, std::string(one.type), 0};
        note_ready(chance);
        offer(std::move(chance), woken);
      }
      if (one.room) offer({Chance::Kind::kRoom, ++news_, queue, {}, 0}, woken);
    }
  }
  ask_all(woken);
}

void ClaimLine::note_ready(const Chance& chance) {
  for (Shape* shape : by_queue_.at(chance.queue)) {
    if (shape->takes(chance.type)) shape->ready_at = chance.number;
  }
}

// The first in line, of those that do not ask already, for whom it may be.
ClaimLine::EntryPtr ClaimLine::first_for(const Chance& chance) const {
  const auto place = by_queue_.find(chance.queue);
  if (place == by_queue_.end()) return nullptr;
  std::uint64_t first = 0;
  for (const Shape* shape : place->second) {
    if (shape->idle.empty() || !shape->may_use(chance)) continue;
    const std::uint64_t number = *shape->idle.begin();
    if (first == 0 || number < first) first = number;
  }
  return first == 0 ? nullptr : line_.at(first);
}

void ClaimLine::offer(Chance chance, Woken& woken) {
  const EntryPtr entry = first_for(chance);
  if (!entry) {
    // Who asks just now may have come too early for it.
    if (asking_.empty() || kept_chances_.size() >= kMostKept) return;
    const std::uint64_t number = chance.number;
    kept_chances_.emplace(number, std::move(chance));
    return;
  }
  line_.erase(entry->number);
  entry->shape->idle.erase(entry->number);
  entry->chance = std::move(chance);
  begin_asking(entry);
  woken.push_back(entry);
}

// The next one that asks for the same as one that found something without having been told.
void ClaimLine::offer_next_of(const Shape& shape, Woken& woken) {
  if (shape.idle.empty()) return;
  const EntryPtr entry = line_.at(*shape.idle.begin());
  line_.erase(entry->number);
  entry->shape->idle.erase(entry->number);
  entry->chance = Chance{Chance::Kind::kLook, ++news_, {}, {}, 0};
  begin_asking(entry);
  woken.push_back(entry);
}

// An entry was asked because of the chance and has its answer: whether another may still use it.
void ClaimLine::hand_on(Chance chance, const Entry& entry, const Result<store::ClaimAnswer>& answer,
                        Woken& woken) {
  const bool unused = !answer || (answer->executions.empty() && entry.stopped());
  const bool got = answer && !answer->executions.empty();
  const bool more = answer && answer->more;
  switch (chance.kind) {
    case Chance::Kind::kReady:
      // It may have taken another job instead, which somebody else was told of.
      if (unused || (got && more && !got_told(*answer, chance.queue, chance.type))) {
        offer(std::move(chance), woken);
      }
      return;
    case Chance::Kind::kRoom:
      // With a job that is still held back, the room was taken by another; its end makes new room.
      if (unused || (!got && !more && ++chance.hands < kMostHands)) offer(std::move(chance), woken);
      return;
    case Chance::Kind::kLook:
      if (got && more) offer_next_of(*entry.shape, woken);
      return;
  }
}

// Takes a chance that came while the entry was asking, and that nobody else could take.
bool ClaimLine::take_kept_chance(const EntryPtr& entry) {
  auto kept = kept_chances_.upper_bound(entry->asked_at);
  while (kept != kept_chances_.end() && !entry->shape->wants(kept->second))
    ++kept;
  if (kept == kept_chances_.end()) return false;
  entry->chance = std::move(kept->second);
  kept_chances_.erase(kept);
  return true;
}

// Those that everybody who asks now has seen already.
void ClaimLine::drop_kept_chances() {
  const auto end =
      asking_.empty() ? kept_chances_.end() : kept_chances_.upper_bound(asking_.begin()->first);
  kept_chances_.erase(kept_chances_.begin(), end);
}

// The first of all that ask for the same asks, where a job is held back; the next look goes on
// where this one ended.
void ClaimLine::look_around() {
  Woken woken;
  {
    const std::lock_guard lock(mutex_);
    look_ = 0;
    auto next = shapes_.upper_bound(looked_last_);
    for (std::size_t left = shapes_.size(); left > 0 && woken.size() < kAskInOneLook; --left) {
      if (next == shapes_.end()) next = shapes_.begin();
      looked_last_ = next->first;
      const Shape& shape = *next++->second;
      if (shape.may_have()) offer_next_of(shape, woken);
    }
    if (!line_.empty()) look_ = alarm_.after(kLookEvery, [this] { look_around(); });
  }
  ask_all(woken);
}

}  // namespace baton::engine
