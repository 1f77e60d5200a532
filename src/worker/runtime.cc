#include "worker/runtime.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/assert.h"

namespace baton::worker {
namespace {

constexpr int kMaxConcurrency = 1000;
constexpr Duration kMaxWait = std::chrono::minutes(1);
// Of jobs with a longer lease: what a killed worker had runs again so soon.
constexpr Duration kMostLease = std::chrono::seconds(30);

Error bad(const std::string& field, const std::string& message) {
  return {.code = Code::kBadRequest, .message = message, .field = field};
}

}  // namespace

Runtime::Runtime(WorkSource& source, WorkerOptions options, const base::Clock& clock,
                 std::uint64_t seed)
    : source_(source), options_(std::move(options)), clock_(clock), seed_(seed) {}

// ---- Beginning and ending ---------------------------------------------------------------------

void Runtime::add(const std::string& type, Handler handler) {
  const Lock lock(mutex_);
  BATON_ASSERT(!courier_);
  handlers_.insert_or_assign(type, std::move(handler));
}

void Runtime::add_any(Handler handler) {
  const Lock lock(mutex_);
  BATON_ASSERT(!courier_);
  any_ = std::move(handler);
}

Status Runtime::check() const {
  if (courier_) return Error{.code = Code::kConflict, .message = "the worker was started before"};
  if (handlers_.empty() && !any_) return bad("handlers", "a worker needs a handler");
  if (options_.queues.empty()) return bad("queues", "a worker needs a queue");
  if (options_.concurrency < 1 || options_.concurrency > kMaxConcurrency) {
    return bad("concurrency", "must be from 1 to " + std::to_string(kMaxConcurrency));
  }
  if (options_.wait < Duration(1) || options_.wait > kMaxWait) {
    return bad("wait", "must be from a millisecond to a minute");
  }
  if (options_.patience.first < Duration(1) || options_.patience.most < options_.patience.first) {
    return bad("patience", "must be at least a millisecond, and `most` not less than `first`");
  }
  return Ok{};
}

Status Runtime::start() {
  const Lock lock(mutex_);
  if (Status checked = check(); !checked) return checked;
  CourierSettings settings;
  settings.claim.queues = options_.queues;
  // A claim without types is one for all of them.
  for (const auto& [type, handler] : handlers_) {
    if (!any_) settings.claim.types.push_back(type);
  }
  settings.claim.worker = options_.name;
  settings.claim.lease = options_.lease;
  if (!options_.lease) settings.claim.max_lease = kMostLease;
  settings.claim.wait = options_.wait;
  settings.concurrency = options_.concurrency;
  settings.patience = options_.patience;
  settings.keep_reports = options_.keep_reports;
  settings.seed = seed_;
  courier_.emplace(std::move(settings));
  threads_.emplace_back([this] { run_courier(); });
  for (int i = 0; i < options_.concurrency; ++i)
    threads_.emplace_back([this] { run_handlers(); });
  return Ok{};
}

void Runtime::begin_drain() {
  std::stop_source waits(std::nostopstate);
  {
    const Lock lock(mutex_);
    if (!courier_) return;
    waits = courier_->drain();
    look_again_ = true;
  }
  courier_wakes_.notify_all();
  waits.request_stop();
}

void Runtime::drain() {
  begin_drain();
  join();
}

bool Runtime::stop(Duration grace) {
  begin_drain();
  {
    const Lock lock(mutex_);
    grace_end_ = now() + grace;
    look_again_ = true;
  }
  courier_wakes_.notify_all();
  join();
  const Lock lock(mutex_);
  return !courier_ || courier_->clean();
}

// Waits until nothing is held or under way, then ends the threads. Several may call.
void Runtime::join() {
  std::vector<std::thread> threads;
  {
    Lock lock(mutex_);
    if (!courier_) return;
    changed_.wait(lock, [this] { return courier_->idle(); });
    ended_ = true;
    threads.swap(threads_);
  }
  courier_wakes_.notify_all();
  handlers_wake_.notify_all();
  for (std::thread& thread : threads)
    thread.join();
}

WorkerStats Runtime::stats() const {
  const Lock lock(mutex_);
  WorkerStats stats = courier_ ? courier_->stats() : WorkerStats{};
  stats.running = running_;
  return stats;
}

void Runtime::wake() {
  const Lock lock(mutex_);
  look_again_ = true;
  courier_wakes_.notify_all();
}

// ---- The courier's thread ---------------------------------------------------------------------

void Runtime::run_courier() {
  Lock lock(mutex_);
  while (!ended_) {
    look_again_ = false;
    take_overdue();
    look_at_grace();
    tell(lock);
    if (std::optional<Parcel> parcel = courier_->next(now())) {
      send(lock, *std::move(parcel));
    } else {
      sleep(lock);
    }
  }
}

void Runtime::take_overdue() {
  const HeldList overdue = courier_->overdue(now());
  to_stop_.insert(to_stop_.end(), overdue.begin(), overdue.end());
  changed_.notify_all();
}

void Runtime::look_at_grace() {
  if (!grace_end_ || now() < *grace_end_) return;
  grace_end_.reset();
  const HeldList all = courier_->give_up();
  to_stop_.insert(to_stop_.end(), all.begin(), all.end());
}

void Runtime::sleep(Lock& lock) {
  const Instant due = std::min(courier_->next_due(), grace_end_.value_or(kNever));
  const auto woken = [this] { return look_again_ || ended_; };
  if (due == kNever) return courier_wakes_.wait(lock, woken);
  courier_wakes_.wait_for(lock, std::max(due - now(), Duration(0)).chrono(), woken);
}

void Runtime::send(Lock& lock, Parcel parcel) {
  auto sent = std::make_shared<const Parcel>(std::move(parcel));
  lock.unlock();
  source_.exchange(sent->exchange).then([self = shared_from_this(), sent](auto answer) {
    self->answered(*sent, std::move(answer));
  });
  lock.lock();
}

// On a thread of the source, or on this one when the answer was there already.
void Runtime::answered(const Parcel& parcel, Result<ExchangeAnswer> answer) {
  const Lock lock(mutex_);
  Delivery delivery = courier_->answered(parcel, std::move(answer), now());
  ready_.insert(ready_.end(), delivery.to_run.begin(), delivery.to_run.end());
  to_stop_.insert(to_stop_.end(), delivery.to_stop.begin(), delivery.to_stop.end());
  std::move(delivery.errors.begin(), delivery.errors.end(), std::back_inserter(errors_));
  for (std::size_t i = 0; i < delivery.to_run.size(); ++i)
    handlers_wake_.notify_one();
  look_again_ = true;
  courier_wakes_.notify_all();
  changed_.notify_all();
}

// Cancels contexts and tells of errors, without the lock: both run code of the embedding program.
void Runtime::tell(Lock& lock) {
  if (to_stop_.empty() && errors_.empty()) return;
  const HeldList to_stop = std::exchange(to_stop_, {});
  const std::vector<Error> errors = std::exchange(errors_, {});
  lock.unlock();
  for (const auto& held : to_stop)
    held->request_stop();
  if (options_.on_error) {
    for (const Error& error : errors)
      options_.on_error(error);
  }
  lock.lock();
}

// ---- Handlers ---------------------------------------------------------------------------------

void Runtime::run_handlers() {
  Lock lock(mutex_);
  while (true) {
    handlers_wake_.wait(lock, [this] { return ended_ || !ready_.empty(); });
    if (ready_.empty()) return;
    const std::shared_ptr<Held> held = ready_.front();
    ready_.pop_front();
    ++running_;
    work_on(lock, held);
    --running_;
    look_again_ = true;
    courier_wakes_.notify_all();
    changed_.notify_all();
  }
}

void Runtime::work_on(Lock& lock, const std::shared_ptr<Held>& held) {
  const std::string& type = held->claimed.job.spec->type;
  const auto own = handlers_.find(type);
  const Handler& handler = own == handlers_.end() ? any_ : own->second;
  Ending ending;
  if (!handler) {
    ending = no_handler(type);
  } else if (held->reason() != StopReason::kNone) {
    ending.kind = Ending::Kind::kCancelled;  // not begun, so nothing is lost
  } else {
    lock.unlock();
    Context context(*this, *held);
    ending = run(handler, context);
    lock.lock();
  }
  courier_->finish(held, std::move(ending), now());
}

// ---- Contexts ---------------------------------------------------------------------------------

void Runtime::progress(Held& held, int percent, std::string message) {
  const Lock lock(mutex_);
  held.news.progress = std::clamp(percent, 0, 100);
  if (!message.empty()) held.news.message = std::move(message);
  look_again_ = true;
  courier_wakes_.notify_all();
}

Status Runtime::save_checkpoint(Held& held, std::string bytes) {
  Lock lock(mutex_);
  held.news.checkpoint = std::move(bytes);
  const std::int64_t number = ++held.checkpoints.wanted;
  look_again_ = true;
  courier_wakes_.notify_all();
  const Checkpoints& all = held.checkpoints;
  changed_.wait(lock, [&] { return all.kept >= number || all.failed >= number || held.over(); });
  if (all.kept >= number) return Ok{};
  if (all.failed >= number) return all.error;
  return Error{.code = Code::kStaleLease, .message = "the lease is over"};
}

std::string Runtime::checkpoint(const Held& held) const {
  const Lock lock(mutex_);
  return held.checkpoint;
}

void Runtime::spawn(Held& held, Submission child) {
  const Lock lock(mutex_);
  held.children.push_back(std::make_shared<const Submission>(std::move(child)));
}

Duration Runtime::time_left(const Held& held) const {
  const Lock lock(mutex_);
  return std::max(held.lease.deadline() - now(), Duration(0));
}

}  // namespace baton::worker
