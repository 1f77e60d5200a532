// The matrix behind the contract tests: every situation that a job can be in, every event that can
// meet it there, and rows that say what comes of it. A contract brings its words, its situations
// and its own rows; what all contracts have in common is written once, here. Each pair must match
// exactly one row, so that none is forgotten. For tests only; one thread.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>

#include "lifecycle/testing.h"

namespace baton::lifecycle::testbed {

// Lists are words with a blank between them; a word that begins with @ is a group.
struct Row {
  std::string_view situations;
  std::string_view events;
  std::string_view expected;  // as describe() says it
};

// A transition as a contract's own document lists it, and one way to see it.
struct SeedRow {
  std::string_view from;
  std::string_view to;
  std::string_view trigger;
  std::string_view situation;
  std::string_view event;
};

// A transition between words that the document does not list, and what brought it.
struct Addition {
  std::string_view from;
  std::string_view to;
  std::string_view why;
};

struct Contract {
  std::string_view profile;
  std::map<JobState, std::string_view> words;
  std::string_view situations;
  std::span<const Row> rows;
  std::span<const SeedRow> seed;
  std::span<const Addition> additions;
};

using WordStep = std::pair<std::string, std::string>;  // from one word to another

inline const std::map<std::string_view, std::string_view> kGroups = {
    {"@pending", "PENDING PENDING_TIMED"},
    {"@queued", "@pending DELAYED SCHEDULED"},
    {"@waiting", "CREATED @queued RETRYING"},
    {"@unasked", "LEASED LEASED_LAST STARTED STARTED_LAST"},
    {"@first", "LEASED STARTED"},
    {"@last", "LEASED_LAST STARTED_LAST"},
    {"@asked", "LEASED_CANCEL STARTED_CANCEL"},
    {"@leased", "LEASED LEASED_LAST LEASED_CANCEL"},
    {"@started", "STARTED STARTED_LAST STARTED_CANCEL"},
    {"@running", "@leased @started"},
    {"@committed", "COMMITTED COMMITTED_CANCEL"},
    {"@live", "@waiting @running @committed"},
    {"@cancelled", "CANCELLED CANCELLED_RUNNING"},
    {"@rejected", "REJECTED REJECTED_RUNNING"},
    {"@ended_badly", "FAILED DEAD_LETTER @cancelled @rejected"},
    {"@ended", "COMPLETED @ended_badly"},
    {"@there", "@live @ended"},
    {"@create",
     "create create_draft create_delayed create_waiting create_after_failed "
     "create_after_dead_letter create_after_cancelled create_after_rejected"},
    {"@submit", "submit submit_waiting submit_after_failed"},
    {"@settled", "deps_ready deps_failed deps_dead_letter deps_cancelled deps_rejected"},
    {"@heartbeat", "heartbeat heartbeat_progress"},
    {"@retryable", "nack_temporary nack_timeout nack_system"},
    {"@terminal", "nack_permanent nack_cancelled"},
    {"@nack", "@retryable @terminal nack_retry_after"},
    {"@release", "release release_delayed"},
    {"@call", "start @heartbeat commit done ack @nack reject cancelled @release spawn asset"},
    {"@wrong",
     "wrong_start wrong_heartbeat wrong_commit wrong_done wrong_ack wrong_nack wrong_reject "
     "wrong_cancelled wrong_release wrong_spawn wrong_asset"},
    {"@timer", "lifetime deadline lease wake"},
    {"@any",
     "@create @submit deps_waiting @settled @timer claim @call @wrong cancel force "
     "operator_reject patch_priority patch_labels patch_callback patch_old_version patch_later "
     "patch_now patch_beyond redrive delete restart"},
};

inline std::vector<std::string_view> words_in(std::string_view list) {
  std::vector<std::string_view> all;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    const std::string_view word = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (word.starts_with('@')) {
      for (std::string_view member : words_in(kGroups.at(word)))
        all.push_back(member);
    } else if (!word.empty()) {
      all.push_back(word);
    }
  }
  return all;
}

inline bool lists(std::string_view list, std::string_view word) {
  static std::map<std::string_view, std::set<std::string_view>> known;
  auto& members = known[list];
  if (members.empty()) {
    for (std::string_view member : words_in(list))
      members.insert(member);
  }
  return members.contains(word);
}

// How a job gets into each situation, by events alone.
inline const std::map<std::string_view, std::function<void(Life&)>> kSituations = {
    {"NONE", [](Life&) {}},
    {"CREATED", [](Life& life) { life.create(as_draft()); }},
    {"PENDING", [](Life& life) { life.create(after(Verdict::waiting())); }},
    {"PENDING_TIMED", [](Life& life) { life.create(delayed(minutes(1), Verdict::waiting())); }},
    {"DELAYED", [](Life& life) { life.create(delayed(minutes(1))); }},
    {"SCHEDULED", [](Life& life) { life.create(); }},
    {"LEASED", [](Life& life) { life.create().claim(); }},
    {"LEASED_LAST",
     [](Life& life) {
       use_up_all_but_one_attempt(life.create());
       life.claim();
     }},
    {"LEASED_CANCEL", [](Life& life) { life.create().claim().cancel(); }},
    {"STARTED", [](Life& life) { life.create().claim().start(); }},
    {"STARTED_LAST",
     [](Life& life) {
       use_up_all_but_one_attempt(life.create());
       life.claim().start();
     }},
    {"STARTED_CANCEL", [](Life& life) { life.create().claim().start().cancel(); }},
    {"COMMITTED", [](Life& life) { life.create().claim().start().commit(); }},
    {"COMMITTED_CANCEL", [](Life& life) { life.create().claim().start().cancel().commit(); }},
    {"RETRYING",
     [](Life& life) {
       Call nack = life.create().claim().nack_of(FailureCategory::kTemporary);
       if (!life.profile().policy.retry_pinned) nack.retry_after = seconds(10);
       life.then(nack);
     }},
    {"COMPLETED", [](Life& life) { life.create().claim().ack(); }},
    {"FAILED", [](Life& life) { life.create().claim().nack(FailureCategory::kPermanent); }},
    {"DEAD_LETTER",
     [](Life& life) {
       use_up_all_but_one_attempt(life.create());
       life.claim().nack();
     }},
    {"CANCELLED", [](Life& life) { life.create().cancel(); }},
    {"CANCELLED_RUNNING",
     [](Life& life) {
       life.create().claim().then(Cancel{true, {}});
     }},
    {"REJECTED", [](Life& life) { life.create().then(Reject{}); }},
    {"REJECTED_RUNNING", [](Life& life) { life.create().claim().call(CallKind::kReject); }},
};

struct Maker {
  Actor actor;
  std::function<Event(Life&)> make;
};

inline Maker creates(Create event) {
  return {Actor::kClient, [event](Life& life) mutable -> Event {
            event.terms = life.terms.get();
            return event;
          }};
}
inline Maker sends(Actor actor, const Event& event) {
  return {actor, [event](Life&) { return event; }};
}
inline Maker settles(Verdict verdict) {
  return sends(Actor::kSystem, DependenciesSettled{verdict});
}
// Turns the clock to the moment at which the timer is due, if it has one.
inline Maker fires(Timer timer, Time (*due)(const JobFacts&)) {
  return {Actor::kSystem, [timer, due](Life& life) -> Event {
            life.now = std::max(life.now, due(life.job));
            return TimerDue{timer};
          }};
}
inline Maker calls(CallKind kind) {
  return {Actor::kWorker, [kind](Life& life) -> Event { return life.call_of(kind); }};
}
inline Maker wrong(CallKind kind) {
  return {Actor::kWorker, [kind](Life& life) -> Event {
            Call call = life.call_of(kind);
            call.token = token_of(99);
            return call;
          }};
}
inline Maker nacks(FailureCategory category, std::optional<Duration> retry_after = {}) {
  return {Actor::kWorker, [category, retry_after](Life& life) -> Event {
            Call call = life.nack_of(category);
            call.retry_after = retry_after;
            return call;
          }};
}

inline Maker releases(std::optional<Duration> delay = {}) {
  return {Actor::kWorker, [delay](Life& life) -> Event {
            Call call = life.call_of(CallKind::kRelease);
            call.delay = delay;
            return call;
          }};
}
// Another time to run, counted from now, or from the end of the lifetime.
inline Maker moves_to(Duration from_now) {
  return {Actor::kClient, [from_now](Life& life) -> Event {
            Patch patch;
            patch.run_at = life.now + from_now;
            return patch;
          }};
}
inline Maker moves_beyond_its_lifetime() {
  return {Actor::kClient, [](Life& life) -> Event {
            Patch patch;
            patch.run_at = lifetime_end(life.job);
            return patch;
          }};
}

inline const std::map<std::string_view, Maker> kEvents = {
    {"create", creates({})},
    {"create_draft", creates(as_draft())},
    {"create_delayed", creates(delayed(minutes(1)))},
    {"create_waiting", creates(after(Verdict::waiting()))},
    {"create_after_failed", creates(after(Verdict::bad(JobState::kFailed)))},
    {"create_after_dead_letter", creates(after(Verdict::bad(JobState::kDeadLetter)))},
    {"create_after_cancelled", creates(after(Verdict::bad(JobState::kCancelled)))},
    {"create_after_rejected", creates(after(Verdict::bad(JobState::kRejected)))},
    {"submit", sends(Actor::kClient, Submit{})},
    {"submit_waiting", sends(Actor::kClient, Submit{Verdict::waiting()})},
    {"submit_after_failed", sends(Actor::kClient, Submit{Verdict::bad(JobState::kFailed)})},
    {"deps_waiting", settles(Verdict::waiting())},
    {"deps_ready", settles(Verdict::ready())},
    {"deps_failed", settles(Verdict::bad(JobState::kFailed))},
    {"deps_dead_letter", settles(Verdict::bad(JobState::kDeadLetter))},
    {"deps_cancelled", settles(Verdict::bad(JobState::kCancelled))},
    {"deps_rejected", settles(Verdict::bad(JobState::kRejected))},
    {"lifetime", fires(Timer::kLifetime, [](const JobFacts& job) { return lifetime_end(job); })},
    {"deadline",
     fires(Timer::kDeadline, [](const JobFacts& job) { return job.execution.deadline_at; })},
    {"lease",
     fires(Timer::kLease, [](const JobFacts& job) { return job.execution.lease_expires_at; })},
    {"wake", fires(Timer::kWake, [](const JobFacts& job) { return job.run_at; })},
    {"claim", sends(Actor::kWorker, Claim{token_of(7), std::nullopt})},
    {"start", calls(CallKind::kStart)},
    {"heartbeat", calls(CallKind::kHeartbeat)},
    {"heartbeat_progress",
     {Actor::kWorker,
      [](Life& life) -> Event {
        Call call = life.call_of(CallKind::kHeartbeat);
        call.progress = 40;
        return call;
      }}},
    {"commit", calls(CallKind::kCommit)},
    {"done", calls(CallKind::kDone)},
    {"ack", calls(CallKind::kAck)},
    {"nack_temporary", nacks(FailureCategory::kTemporary)},
    {"nack_permanent", nacks(FailureCategory::kPermanent)},
    {"nack_timeout", nacks(FailureCategory::kTimeout)},
    {"nack_cancelled", nacks(FailureCategory::kCancelled)},
    {"nack_system", nacks(FailureCategory::kSystem)},
    {"nack_retry_after", nacks(FailureCategory::kTemporary, seconds(90))},
    {"reject", calls(CallKind::kReject)},
    {"cancelled", calls(CallKind::kCancelled)},
    {"release", releases()},
    {"release_delayed", releases(seconds(90))},
    {"spawn", calls(CallKind::kSpawn)},
    {"asset", calls(CallKind::kAsset)},
    {"wrong_start", wrong(CallKind::kStart)},
    {"wrong_heartbeat", wrong(CallKind::kHeartbeat)},
    {"wrong_commit", wrong(CallKind::kCommit)},
    {"wrong_done", wrong(CallKind::kDone)},
    {"wrong_ack", wrong(CallKind::kAck)},
    {"wrong_nack", wrong(CallKind::kNack)},
    {"wrong_reject", wrong(CallKind::kReject)},
    {"wrong_cancelled", wrong(CallKind::kCancelled)},
    {"wrong_release", wrong(CallKind::kRelease)},
    {"wrong_spawn", wrong(CallKind::kSpawn)},
    {"wrong_asset", wrong(CallKind::kAsset)},
    {"cancel", sends(Actor::kClient, Cancel{})},
    {"force", sends(Actor::kClient, Cancel{true, {}})},
    {"operator_reject", sends(Actor::kClient, Reject{})},
    {"patch_priority", sends(Actor::kClient, Patch{Priority::kHigh, {}, false, {}})},
    {"patch_labels", sends(Actor::kClient, Patch{{}, {}, true, {}})},
    {"patch_callback", sends(Actor::kClient, Patch{{}, true, false, {}})},
    {"patch_old_version", sends(Actor::kClient, Patch{{}, {}, true, 0})},
    {"patch_later", moves_to(hours(1))},
    {"patch_now", moves_to(Duration{})},
    {"patch_beyond", moves_beyond_its_lifetime()},
    {"redrive", sends(Actor::kClient, Redrive{})},
    {"delete", sends(Actor::kClient, Delete{})},
    {"restart", sends(Actor::kSystem, Restart{})},
};

// What every contract says alike, whatever its words.
inline constexpr Row kCommonRows[] = {
    {"@there", "@create", "!invalid_transition"},
    {"@queued RETRYING @running @committed @ended", "@submit", "!invalid_transition"},
    {"CREATED DELAYED SCHEDULED RETRYING @running @committed @ended", "deps_waiting @settled",
     "!invalid_transition"},
    {"@pending", "deps_waiting", "nothing"},
    {"PENDING", "deps_ready", "SCHEDULED:ready"},
    {"PENDING_TIMED", "deps_ready", "DELAYED:delay"},

    // A timer moves only a job that it was set for.
    {"@committed @ended", "lifetime", "!invalid_transition"},
    {"@waiting @committed @ended", "deadline", "!invalid_transition"},
    {"@waiting @ended", "lease", "!invalid_transition"},
    {"CREATED @pending SCHEDULED @running @committed @ended", "wake", "!invalid_transition"},
    {"DELAYED", "wake", "SCHEDULED:due"},
    {"RETRYING", "wake", "SCHEDULED:backoff"},
    {"@committed", "lease", "COMPLETED:done"},
    {"@asked", "deadline lease", "CANCELLED:cancel"},

    {"SCHEDULED", "claim", "RUNNING:claim"},
    {"CREATED @pending DELAYED RETRYING @running @committed @ended", "claim",
     "!invalid_transition"},

    // The calls of a worker.
    {"@there", "@wrong", "!stale_lease"},
    {"@waiting @ended_badly", "@call", "!stale_lease"},
    {"@leased", "start", "changed"},
    {"@started", "start", "repeat"},
    {"@running @committed", "heartbeat", "extended"},
    {"@running @committed", "heartbeat_progress", "changed"},
    {"COMPLETED", "@heartbeat", "!stale_lease"},
    {"@leased", "commit done", "!invalid_transition"},
    {"@started", "done", "!invalid_transition"},
    {"@started", "commit", "changed"},
    {"@running", "ack", "COMPLETED:done"},
    {"@committed", "done ack", "COMPLETED:done"},
    {"@committed COMPLETED", "commit", "repeat"},
    {"COMPLETED", "done ack", "repeat"},
    {"@committed COMPLETED", "start @nack reject cancelled @release spawn asset",
     "!already_committed"},
    {"@running", "spawn asset", "changed"},
    {"@unasked", "cancelled", "!invalid_transition"},
    {"@asked", "cancelled release @retryable @terminal", "CANCELLED:cancel"},

    {"@waiting", "cancel force", "CANCELLED:cancel"},
    {"@unasked", "cancel", "changed"},
    {"@asked", "cancel", "repeat"},
    {"@running", "force", "CANCELLED:cancel"},
    {"@committed", "cancel force", "!already_committed"},
    {"@cancelled", "cancel force", "repeat"},
    {"COMPLETED FAILED DEAD_LETTER @rejected", "cancel force", "!invalid_transition"},

    {"@waiting", "patch_priority", "changed"},
    {"@running @committed @ended", "patch_priority", "!invalid_transition"},
    {"@live", "patch_labels patch_callback", "changed"},
    {"@ended", "patch_labels patch_callback", "!invalid_transition"},
    {"@there", "patch_old_version", "!conflict"},
    {"DELAYED", "patch_later", "changed"},
    {"DELAYED", "patch_now", "SCHEDULED:due"},
    {"DELAYED", "patch_beyond", "!invalid_job"},
    {"CREATED @pending SCHEDULED @running @committed @ended", "patch_later patch_now patch_beyond",
     "!invalid_transition"},

    {"@ended_badly", "redrive", "nothing"},
    {"@live COMPLETED", "redrive", "!invalid_transition"},
    {"@ended", "delete", "nothing"},
    {"@live", "delete", "!invalid_transition"},
    {"@running @committed", "restart", "extended"},
    {"@waiting @ended", "restart", "nothing"},
};

}  // namespace baton::lifecycle::testbed
