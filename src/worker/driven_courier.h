// A courier that is told the time and the answers by hand. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "worker/claims.h"
#include "worker/courier.h"

namespace baton::worker {

inline const Error kAway{.code = Code::kStoreUnavailable, .message = "away"};

inline CourierSettings settings(int concurrency) {
  return {.claim = {.queues = {"q"}, .types = {"t"}, .worker = "w", .wait = 20s},
          .concurrency = concurrency,
          .patience = {.first = 100ms, .most = 1s},
          .keep_reports = 5min,
          .seed = 7};
}

inline std::vector<std::string> kinds(const Parcel& parcel) {
  std::vector<std::string> all;
  for (const WorkCall& call : parcel.exchange.calls)
    all.push_back(std::string(name(call.kind())) + " " + name_of(call.execution));
  return all;
}

class CourierTest : public testing::Test {
 protected:
  void open(int concurrency) { courier_.emplace(settings(concurrency)); }
  Courier& courier() { return *courier_; }

  // What the courier sends now; it must send something.
  Parcel sent() {
    auto parcel = courier().next(now_);
    if (!parcel) throw std::runtime_error("nothing was sent");
    return *std::move(parcel);
  }
  bool silent() { return !courier().next(now_).has_value(); }

  Delivery answer(const Parcel& parcel, ExchangeAnswer answer = {}) {
    while (answer.results.size() < parcel.exchange.calls.size())
      answer.results.emplace_back(WorkAnswer{});
    return courier().answered(parcel, std::move(answer), now_);
  }
  Delivery fail(const Parcel& parcel, const Error& error = kAway) {
    return courier().answered(parcel, error, now_);
  }
  Delivery refuse(const Parcel& parcel, Code code) {
    return answer(parcel, {.results = {Error{.code = code, .message = "no"}}});
  }
  // Claims these executions, and leaves a claim for the free hands under way.
  HeldList hold(std::vector<Claimed> claimed) {
    const Parcel parcel = sent();
    return answer(parcel, {.executions = std::move(claimed)}).to_run;
  }
  std::shared_ptr<Held> hold_one(ClaimLengths lengths = {}) {
    open(1);
    return hold({claimed_job("e", lengths)}).at(0);
  }
  void finish(const std::shared_ptr<Held>& held, Ending ending = {}) {
    courier().finish(held, std::move(ending), now_);
  }

  Instant now_ = 1000s;
  std::optional<Courier> courier_;
};

}  // namespace baton::worker
