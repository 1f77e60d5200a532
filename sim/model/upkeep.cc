#include <algorithm>

#include "sim/model/verbs.h"

namespace baton::sim {
namespace {

template <class T>
void put(std::optional<T>& setting, const std::optional<T>& value) {
  if (value) setting = value;
}

template <class T>
void put(T& setting, const std::optional<T>& value) {
  if (value) setting = *value;
}

void put_limit(std::optional<std::int64_t>& setting, const std::optional<std::int64_t>& value) {
  if (!value) return;
  if (*value < 0) {
    setting.reset();
  } else {
    setting = *value;
  }
}

QueueSettings merged(QueueSettings settings, const QueueUpdate& update) {
  if (update.profile) settings.profile = *update.profile;
  if (update.retry) {
    put(settings.retry.max_attempts, update.retry->max_attempts);
    put(settings.retry.strategy, update.retry->strategy);
    put(settings.retry.initial, update.retry->initial);
    put(settings.retry.multiplier, update.retry->multiplier);
    put(settings.retry.max, update.retry->max);
    put(settings.retry.jitter, update.retry->jitter);
    if (!update.retry->table.empty()) settings.retry.table = update.retry->table;
  }
  if (update.timeouts) {
    put(settings.timeouts.execution, update.timeouts->execution);
    put(settings.timeouts.lease, update.timeouts->lease);
    put(settings.timeouts.lifetime, update.timeouts->lifetime);
  }
  put(settings.timeout_is, update.timeout_is);
  put(settings.system_is, update.system_is);
  put(settings.idempotency_window, update.idempotency_window);
  put(settings.max_payload_bytes, update.max_payload_bytes);
  put_limit(settings.max_pending, update.max_pending);
  put_limit(settings.max_running, update.max_running);
  put(settings.rate, update.rate);
  if (update.rate && update.rate->per_second == 0) settings.rate.reset();
  put(settings.keep_completed, update.keep_completed);
  put(settings.keep_failed, update.keep_failed);
  put(settings.paused, update.paused);
  put(settings.draining, update.draining);
  return settings;
}

bool holds_records(const State& state, const std::string& queue) {
  for (const auto& [id, job] : state.jobs) {
    if (!job.deleted && job.queue == queue) return true;
  }
  return false;
}

Refusals queue_refusals(const State& state, const QueueUpdate& update, const QueueSettings& before,
                        const QueueSettings& after) {
  Refusals refusals;
  if (after.profile != before.profile && holds_records(state, update.name)) {
    refusals.push_back(Code::kConflict);
  }
  const bool sets_retry = after.retry != Retry{};
  if (rules_of(after.profile).pinned && sets_retry) refusals.push_back(Code::kNotInProfile);
  if (after.timeouts.lease && (after.timeouts.lease->ms < 100)) {
    refusals.push_back(Code::kInvalidJob);
  }
  return refusals;
}

std::vector<std::int64_t> counts_of(const State& state, const std::string& queue) {
  std::vector<std::int64_t> counts(lifecycle::kJobStateCount, 0);
  for (const auto& [id, job] : state.jobs) {
    if (!job.deleted && job.queue == queue) ++counts[static_cast<std::size_t>(job.state)];
  }
  return counts;
}

void compare_view(const State& state, const Queue& view) {
  const std::string of = "queue " + view.name + " ";
  const auto found = state.queues.find(view.name);
  if (found == state.queues.end()) mismatch(of + "is unknown to the model");
  expect(found->second.settings == view.settings, of + "has other settings");
  const std::vector<std::int64_t> counts = counts_of(state, view.name);
  expect_equal(of + "kinds of counts", counts.size(), view.counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    expect_equal(of + shown(static_cast<JobState>(i)), counts[i], view.counts[i]);
  }
}

void compare_account(const ModelAccount& account, const Account& record) {
  const std::string of = "account " + record.id + " ";
  expect(account.tier == record.tier, of + "has another tier");
  expect_equal(of + "granted", account.granted, record.balance.granted);
  expect_equal(of + "available", account.available, record.balance.available);
  expect_equal(of + "reserved", account.reserved, record.balance.reserved);
  expect_equal(of + "captured", account.captured, record.balance.captured);
  expect_equal(of + "active jobs", account.active, record.active_jobs);
}

}  // namespace

void check_queue(Scene& scene, const QueueUpdate& update, const Answer& answer) {
  const QueueSettings before = settings_of(scene, update.name);
  const QueueSettings after = merged(before, update);
  const Refusals refusals = queue_refusals(scene.state, update, before, after);
  if (refused(refusals, error_of(answer), "settings of " + update.name)) return;
  ModelQueue& queue = queue_for(scene, update.name);
  // A new rate begins with a full burst.
  if (after.rate && after.rate != before.rate) {
    queue.bucket = {after.rate->burst * kToken, scene.now};
  }
  queue.settings = after;
  compare_view(scene.state, answer_as<Queue>(answer, "settings"));
}

void check_removed_queue(Scene& scene, const std::string& name, const Answer& answer) {
  Refusals refusals;
  if (!scene.state.queues.contains(name)) refusals.push_back(Code::kNotFound);
  if (holds_records(scene.state, name)) refusals.push_back(Code::kConflict);
  if (refused(refusals, error_of(answer), "removing queue " + name)) return;
  scene.state.queues.erase(name);
}

void check_queue_view(Scene& scene, const std::string& name, const Answer& answer) {
  const bool known = scene.state.queues.contains(name);
  const Refusals refusals = known ? Refusals{} : Refusals{Code::kNotFound};
  if (refused(refusals, error_of(answer), "queue " + name)) return;
  compare_view(scene.state, answer_as<Queue>(answer, "queue"));
}

void check_grant(Scene& scene, const GrantCredits& command, const Answer& answer) {
  const std::string& key = command.idempotency_key;
  const auto known = scene.state.accounts.find(command.account);
  const bool again = known != scene.state.accounts.end() && known->second.grant_keys.contains(key);
  // The same key again changes nothing, whatever comes with it.
  const bool wrong = !again && command.amount < 0;
  const Refusals refusals = wrong ? Refusals{Code::kInvalidJob} : Refusals{};
  if (refused(refusals, error_of(answer), "grant")) return;
  ModelAccount& account = scene.state.accounts[command.account];
  if (!again) {
    if (!key.empty()) account.grant_keys.insert(key);
    account.granted += command.amount;
    account.available += command.amount;
    if (command.tier) account.tier = *command.tier;
  }
  compare_account(account, answer_as<Account>(answer, "grant"));
}

void check_account(Scene& scene, const std::string& id, const Answer& answer) {
  refused({}, error_of(answer), "account");
  const auto found = scene.state.accounts.find(id);
  compare_account(found == scene.state.accounts.end() ? ModelAccount{} : found->second,
                  answer_as<Account>(answer, "account"));
}

void check_explain(Scene& scene, const JobId& id, const Answer& answer) {
  const std::string what = "explanation of " + shown(id);
  ModelJob* job = scene.state.find(id);
  if (job == nullptr) {
    refused({Code::kNotFound}, error_of(answer), what);
    return;
  }
  fire_due(scene, *job);
  refused({}, error_of(answer), what);
  const Explanation& explanation = answer_as<Explanation>(answer, what);
  expect_equal(what + ": state", job->state, explanation.canonical_state);
  expect(!explanation.code.empty() && !explanation.sentence.empty(), what + " says nothing");
  const bool waits = job->state == JobState::kPending;
  expect(waits || explanation.waits_for.empty(), what + " waits for somebody");
  for (const JobId& other : explanation.waits_for) {
    expect(!is_end(scene.state.any(other).state), what + " waits for an ended job");
  }
}

void check_stats(Scene& scene, const Answer& answer) {
  refused({}, error_of(answer), "stats");
  const Stats& stats = answer_as<Stats>(answer, "stats");
  expect_equal("live jobs", static_cast<std::int64_t>(scene.state.live.size()), stats.live_jobs);
  expect_equal("queues", scene.state.queues.size(), stats.queues.size());
  for (const Queue& view : stats.queues)
    compare_view(scene.state, view);
}

// The machine may ask to be woken early, never late. It must say so when it has left work, unless
// that gave way; and only a machine whose turns are small may leave any, or believe that it has.
void check_next_due(const Scene& scene, Time said) {
  const Ahead ahead = look_ahead(scene);
  const bool small = scene.tuning.timers_per_turn < store::local::Tuning{}.timers_per_turn;
  const bool at_once = said.is_set() && said <= scene.now;
  const std::string says = "the machine says " + shown(said) + ", it is " + shown(scene.now);
  if (ahead.left && !at_once && !scene.gives_way) mismatch("work is left, and " + says);
  if (ahead.left && !small && !scene.set_overdue) mismatch("a turn left work that it could do");
  if (at_once) {
    expect(ahead.left || ahead.held || small, "nothing is left, and " + says);
    return;
  }
  expect_equal("a timer is set", ahead.next.is_set(), said.is_set());
  if (said > ahead.next)
    mismatch("the next timer is due at " + shown(ahead.next) + ", and " + says);
}

void check_timers(Scene& scene, const Answer& answer) {
  refused({}, error_of(answer), "timers");
  const store::TimersAnswer& timers = answer_as<store::TimersAnswer>(answer, "timers");
  check_next_due(scene, timers.next);
  expect_equal("jobs that timers moved", scene.fired, timers.fired);
}

}  // namespace baton::sim
