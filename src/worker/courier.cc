#include "worker/courier.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace baton::worker {
namespace {

constexpr std::size_t kMaxAtOnce = 1000;  // calls and claims of one exchange

WorkCall heartbeat_of(Held& held) {
  WorkCall call{.execution = held.claimed.execution,
                .token = held.claimed.token,
                .call = HeartbeatCall{held.news.progress, held.news.message, held.news.checkpoint}};
  held.news = {};
  return call;
}

// When a call of this execution may go: its report and news at once, else its next heartbeat.
Instant call_due(const Held& held) {
  if (held.report) return Instant(0);
  if (held.over()) return kNever;
  return held.news.any() ? Instant(0) : held.lease.heartbeat_due();
}

// What an unsuccessful heartbeat brought is still to be sent, unless there is something newer.
void put_back(News& news, const HeartbeatCall& call) {
  if (!news.progress) news.progress = call.progress;
  if (!news.message) news.message = call.message;
  if (!news.checkpoint) news.checkpoint = call.checkpoint;
}

void fail_checkpoint(Held& held, std::int64_t number, const Error& error) {
  if (number == 0) return;
  held.checkpoints.failed = number;
  held.checkpoints.error = error;
}

}  // namespace

Courier::Courier(CourierSettings settings)
    : settings_(std::move(settings)), backoff_(settings_.patience, settings_.seed) {}

// ---- Sending ----------------------------------------------------------------------------------

std::optional<Parcel> Courier::next(Instant now) {
  if (now < rest_until_) return std::nullopt;
  Parcel parcel{.sent = now};
  if (!calls_under_way_) add_calls(parcel, now);
  if (!parcel.held.empty()) {
    calls_under_way_ = true;
    parcel.exchange.claim = claim_for(free_hands(), Duration(0));
    return parcel;
  }
  if (wait_under_way_) return std::nullopt;
  parcel.exchange.claim = claim_for(free_hands(), settings_.claim.wait);
  if (!parcel.exchange.claim) return std::nullopt;
  parcel.waits = true;
  parcel.exchange.claim->stop = wait_stop_.get_token();
  wait_under_way_ = true;
  return parcel;
}

int Courier::free_hands() const {
  const auto taken = std::count_if(held_.begin(), held_.end(),
                                   [](const auto& held) { return held->takes_a_hand(); });
  return settings_.concurrency - static_cast<int>(taken) - asked_;
}

// The last news of a handler that has returned go before its report.
void Courier::add_calls(Parcel& parcel, Instant now) {
  const auto add = [&](const std::shared_ptr<Held>& held, WorkCall call, std::int64_t checkpoint) {
    parcel.exchange.calls.push_back(std::move(call));
    parcel.checkpoints.push_back(checkpoint);
    parcel.held.push_back(held);
  };
  // One that is due takes all others along.
  const bool beats = std::any_of(held_.begin(), held_.end(), [now](const auto& held) {
    return !held->report && !held->over() && now >= held->lease.heartbeat_due();
  });
  for (const auto& held : held_) {
    if (parcel.held.size() + 2 > kMaxAtOnce) break;
    const bool goes_along = beats && !held->over();
    if (!goes_along && now < call_due(*held)) continue;
    // overdue() may not have seen it yet: the clock moves between the two.
    if (!held->report && held->lease.over(now) != StopReason::kNone) continue;
    const std::int64_t checkpoint = held->news.checkpoint ? held->checkpoints.wanted : 0;
    if (!held->report || held->news.any()) add(held, heartbeat_of(*held), checkpoint);
    if (!held->report) continue;
    add(held, *held->report, 0);
    held->reporting = true;
  }
}

std::optional<ClaimRequest> Courier::claim_for(int hands, Duration wait) {
  if (draining_ || hands < 1) return std::nullopt;
  ClaimRequest request = settings_.claim;
  request.max = std::min(hands, static_cast<int>(kMaxAtOnce));
  request.wait = wait;
  asked_ += request.max;
  return request;
}

Instant Courier::next_due() const {
  Instant due = kNever;
  const bool may_claim = !draining_ && !wait_under_way_ && free_hands() > 0;
  if (may_claim) due = rest_until_;
  for (const auto& held : held_) {
    if (!calls_under_way_) due = std::min(due, std::max(call_due(*held), rest_until_));
    if (held->report) {
      if (!held->reporting) due = std::min(due, held->report_end);
    } else if (!held->over()) {
      due = std::min(due, held->lease.end());
    }
  }
  return due;
}

// ---- Answers ----------------------------------------------------------------------------------

struct Courier::Ride {
  const std::shared_ptr<Held>& held;
  const WorkCall& call;
  std::int64_t checkpoint;  // its number; 0 for none
  const Result<WorkAnswer>& result;
};

Delivery Courier::answered(const Parcel& parcel, Result<ExchangeAnswer> answer, Instant now) {
  Delivery delivery;
  (parcel.waits ? wait_under_way_ : calls_under_way_) = false;
  if (parcel.exchange.claim) asked_ -= parcel.exchange.claim->max;
  std::optional<Error> away = take_calls(parcel, answer, delivery);
  if (!answer) {
    away = answer.error();
  } else {
    if (answer->claim_error) away = answer->claim_error;
    take_claims(parcel, std::move(answer->executions), now, delivery);
  }
  if (!away) {
    backoff_.reset();
    return delivery;
  }
  rest(now);
  delivery.errors.push_back(*std::move(away));
  return delivery;
}

std::optional<Error> Courier::take_calls(const Parcel& parcel, const Result<ExchangeAnswer>& answer,
                                         Delivery& delivery) {
  BATON_ASSERT(!answer || answer->results.size() == parcel.held.size());
  std::optional<Error> away;
  for (std::size_t i = 0; i < parcel.held.size(); ++i) {
    const std::shared_ptr<Held>& held = parcel.held[i];
    held->reporting = false;
    const Result<WorkAnswer>& result =
        answer ? answer->results[i] : Result<WorkAnswer>(answer.error());
    const Ride ride{held, parcel.exchange.calls[i], parcel.checkpoints[i], result};
    std::optional<Error> error;
    if (!answer) {
      error = try_again(ride);
    } else if (ride.call.kind() == CallKind::kHeartbeat) {
      error = take_heartbeat(ride, parcel.sent, delivery);
    } else {
      error = take_report(ride, delivery);
    }
    if (error) away = std::move(error);
  }
  return away;
}

std::optional<Error> Courier::try_again(const Ride& ride) {
  Held& held = *ride.held;
  const Error& error = ride.result.error();
  if (ride.call.kind() != CallKind::kHeartbeat) {
    held.tried = true;
    if (given_up_) drop(ride.held);
    return error;
  }
  if (given_up_) {
    fail_checkpoint(held, ride.checkpoint, error);
  } else {
    put_back(held.news, std::get<HeartbeatCall>(ride.call.call));
  }
  return error;
}

std::optional<Error> Courier::take_heartbeat(const Ride& ride, Instant sent, Delivery& delivery) {
  Held& held = *ride.held;
  const auto& beat = std::get<HeartbeatCall>(ride.call.call);
  if (ride.result) {
    held.lease.extend(sent);
    held.checkpoints.kept = std::max(held.checkpoints.kept, ride.checkpoint);
    if (beat.checkpoint) held.checkpoint = *beat.checkpoint;
    const bool cancels = ride.result->cancel_requested;
    if (cancels && held.take_reason(StopReason::kCancelRequested)) {
      delivery.to_stop.push_back(ride.held);
    }
    return std::nullopt;
  }
  const Error& error = ride.result.error();
  switch (meaning_of(error.code)) {
    case Meaning::kAgain:
      return try_again(ride);
    case Meaning::kGone:
      if (held.take_reason(StopReason::kLeaseLost)) delivery.to_stop.push_back(ride.held);
      return std::nullopt;
    case Meaning::kRefused:
      break;
  }
  fail_checkpoint(held, ride.checkpoint, error);
  // What it brought was refused, and goes no further. A bare one must not be repeated at once.
  if (!beat.progress && !beat.message && !beat.checkpoint) return error;
  delivery.errors.push_back(error);
  return std::nullopt;
}

std::optional<Error> Courier::take_report(const Ride& ride, Delivery& delivery) {
  if (ride.result) {
    count(ride.call.kind());
    release(ride.held);
    return std::nullopt;
  }
  const Error& error = ride.result.error();
  const Meaning meaning = meaning_of(error.code);
  if (meaning == Meaning::kAgain) return try_again(ride);
  if (meaning == Meaning::kGone) {
    ++stats_.dropped;
    release(ride.held);
    return std::nullopt;
  }
  delivery.errors.push_back(error);
  ride.held->report = instead_of(ride.call, error);
  if (!ride.held->report) drop(ride.held);
  return std::nullopt;
}

void Courier::take_claims(const Parcel& parcel, std::vector<Claimed> executions, Instant now,
                          Delivery& delivery) {
  // A claim that waited may have been made at any time until now.
  const Instant from = parcel.waits ? now : parcel.sent;
  for (Claimed& claimed : executions) {
    held_.push_back(std::make_shared<Held>(std::move(claimed), from));
    delivery.to_run.push_back(held_.back());
    ++stats_.claimed;
  }
}

// Not so long that leases are lost for it.
void Courier::rest(Instant now) {
  Duration most = given_up_ ? settings_.patience.first : settings_.patience.most;
  for (const auto& held : held_) {
    if (!held->report) most = std::min(most, held->lease.term() / 6);
  }
  rest_until_ = now + backoff_.next(most);
}

// ---- Endings ----------------------------------------------------------------------------------

HeldList Courier::overdue(Instant now) {
  HeldList to_stop;
  HeldList to_drop;
  for (const auto& held : held_) {
    if (held->report) {
      if (!held->reporting && now >= held->report_end) to_drop.push_back(held);
    } else if (held->take_reason(held->lease.over(now))) {
      to_stop.push_back(held);
    }
  }
  for (const auto& held : to_drop)
    drop(held);
  return to_stop;
}

void Courier::finish(const std::shared_ptr<Held>& held, Ending ending, Instant now) {
  held->report =
      report_of(std::move(ending), held->claimed, held->reason(), std::move(held->children));
  held->report_end = now + settings_.keep_reports;
  if (held->report) return;
  ++stats_.dropped;
  release(held);
}

std::stop_source Courier::drain() {
  draining_ = true;
  return wait_stop_;
}

HeldList Courier::give_up() {
  given_up_ = true;
  rest_until_ = Instant(0);
  HeldList to_stop;
  for (const auto& held : held_) {
    if (held->report) continue;
    clean_ = false;
    if (held->take_reason(StopReason::kWorkerStops)) to_stop.push_back(held);
  }
  return to_stop;
}

void Courier::count(CallKind kind) {
  if (kind == CallKind::kAck) {
    ++stats_.completed;
  } else if (kind == CallKind::kCancelled) {
    ++stats_.cancelled;
  } else if (kind == CallKind::kRelease) {
    ++stats_.released;
  } else {
    ++stats_.failed;
  }
}

void Courier::release(const std::shared_ptr<Held>& held) { std::erase(held_, held); }

void Courier::drop(const std::shared_ptr<Held>& held) {
  ++stats_.dropped;
  clean_ = false;
  release(held);
}

}  // namespace baton::worker
