// What the lifecycle's tests lean on: a job that is driven through events one after the other, the
// way a store drives it, at times of the test's choosing. Due timers are applied before every
// event. An event that ought to be accepted and is not fails the test that sent it. For tests only;
// one thread.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lifecycle/decide.h"
#include "lifecycle/profile.h"

namespace baton::lifecycle::testbed {

using base::days;
using base::hours;
using base::milliseconds;
using base::minutes;
using base::seconds;

inline constexpr Time kStart{1'700'000'000'000};
// Draws the middle of any range that jitter may choose from.
inline constexpr std::uint64_t kMiddle = 1ULL << 63;

// A profile's own settings, as a job gets them when nobody asks for others.
inline Terms terms_of(std::string_view profile_name) {
  const Profile* profile = find_profile(profile_name);
  const Policy& policy = profile->policy;
  Terms terms;
  terms.profile = profile;
  terms.retry = policy.retry;
  terms.lease = policy.lease;
  terms.execution = policy.execution;
  terms.lifetime = policy.lifetime;
  return terms;
}

// The token that the claim of this attempt brings.
inline LeaseToken token_of(int attempt) {
  LeaseToken token;
  token.bytes.fill(static_cast<std::uint8_t>(0xA0 + attempt));
  return token;
}

inline FailureView failure_of(FailureCategory category) {
  return {category, "E42", "it broke", "a loose wire"};
}

// Submissions that say one thing beyond the ordinary.
inline Create as_draft() {
  Create event;
  event.draft = true;
  return event;
}
inline Create after(Verdict dependencies) {
  Create event;
  event.dependencies = dependencies;
  return event;
}
inline Create delayed(Duration delay, Verdict dependencies = Verdict::ready()) {
  Create event = after(dependencies);
  event.delay = delay;
  return event;
}
inline Create costing(Amount cost) {
  Create event;
  event.cost = cost;
  event.has_account = true;
  return event;
}

// What a result does, in a line: "!code" for a refusal, else the steps of the history, else what
// kind of a change it is.
inline std::string describe(const Change& change) {
  std::string text;
  for (const HistoryEntry& entry : change.history) {
    if (!text.empty()) text += ' ';
    text += std::string(name(entry.to)) + ':' + std::string(name(entry.trigger));
  }
  if (!text.empty()) return text;
  if (change.repeated) return "repeat";
  if (change.job_changed) return "changed";
  return change.execution_changed ? "extended" : "nothing";
}

inline std::string describe(const Result<Change>& result) {
  if (result.ok()) return describe(result.value());
  return '!' + std::string(name(result.error().code));
}

struct Life {
  explicit Life(Terms promised) : terms(std::make_shared<Terms>(std::move(promised))) {}
  explicit Life(std::string_view profile) : Life(terms_of(profile)) {}

  std::shared_ptr<Terms> terms;
  JobFacts job;
  Time now = kStart;
  std::uint64_t random = kMiddle;
  Change last;  // what the latest event did
  std::vector<HistoryEntry> history;

  const Profile& profile() const { return *terms->profile; }
  std::string_view word() const { return profile().word(job.state); }

  void take(const Change& change) {
    last = change;
    job = change.job;
    history.insert(history.end(), change.history.begin(), change.history.end());
  }
  void settle_due() {
    if (const auto change = settle(job, now, random)) take(*change);
  }
  Result<Change> try_to(const Event& event) {
    settle_due();
    return decide(job, event, now, random);
  }
  // The code of a refusal; "accepted" when it is none.
  std::string_view refusal(const Event& event) {
    const auto result = try_to(event);
    return result.ok() ? "accepted" : name(result.error().code);
  }
  const Change& apply(const Event& event) {
    const auto result = try_to(event);
    if (result.ok()) {
      take(result.value());
    } else {
      ADD_FAILURE() << "refused: " << result.error().message;
    }
    return last;
  }

  Life& wait(Duration duration) { return at(now + duration); }
  Life& at(Time time) {
    now = time;
    settle_due();
    return *this;
  }

  Life& create(Create event = {}) {
    event.terms = terms.get();
    return then(event);
  }
  Life& claim() { return then(Claim{token_of(job.attempt + 1), std::nullopt}); }
  Life& call(CallKind kind) { return then(call_of(kind)); }
  Life& start() { return call(CallKind::kStart); }
  Life& commit() { return call(CallKind::kCommit); }
  Life& done() { return call(CallKind::kDone); }
  Life& ack() { return call(CallKind::kAck); }
  Life& nack(FailureCategory category = FailureCategory::kTemporary) {
    return then(nack_of(category));
  }
  Life& cancel() { return then(Cancel{}); }
  Life& then(const Event& event) {
    apply(event);
    return *this;
  }

  // A call of the latest execution's holder.
  Call call_of(CallKind kind) const { return call_of(kind, job.attempt); }
  // A call of the holder of an execution, which may be a former one.
  Call call_of(CallKind kind, int attempt) const {
    Call call;
    call.kind = kind;
    call.attempt = attempt;
    call.token = token_of(attempt);
    if (attempt < job.attempt) call.former_token = token_of(attempt);
    return call;
  }
  Call nack_of(FailureCategory category) const {
    Call call = call_of(CallKind::kNack);
    call.failure = failure_of(category);
    return call;
  }

  // The states the job went through, in its profile's words, each word once in a row.
  std::string words() const {
    std::string text;
    std::string_view latest;
    for (const HistoryEntry& entry : history) {
      const std::string_view next = profile().word(entry.to);
      if (next == latest) continue;
      text += (text.empty() ? "" : " ") + std::string(next);
      latest = next;
    }
    return text;
  }
};

// Claims and fails until one attempt remains, and leaves the job claimable.
inline void use_up_all_but_one_attempt(Life& life) {
  while (life.job.attempt + 1 < life.terms->retry.max_attempts)
    life.claim().nack().wait(hours(1));
}

}  // namespace baton::lifecycle::testbed
