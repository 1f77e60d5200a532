#include "store/conformance/oracle.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "lifecycle/decide.h"
#include "lifecycle/states.h"

namespace baton::store::conformance {

void Oracle::observe(const std::shared_ptr<const JobRecord>& record) {
  SCOPED_TRACE(describe(*record));
  check_record(*record);
  const auto before = seen_.find(record->id);
  if (before != seen_.end()) check_successor(*before->second, *record);
  seen_[record->id] = record;
}

void Oracle::judge(const Snapshot& snapshot) {
  std::int64_t number = 0;
  std::unordered_set<JobId> listed;
  for (const auto& record : snapshot.jobs) {
    EXPECT_TRUE(number == 0 || record->number < number) << "lists are newest first";
    number = record->number;
    EXPECT_TRUE(listed.insert(record->id).second) << "a job is listed twice";
    observe(record);
    if (!snapshot.timers_applied) continue;
    EXPECT_FALSE(lifecycle::first_due(record->facts, snapshot.now))
        << "a timer is overdue: " << describe(*record);
  }
  for (const auto& [id, record] : seen_) {
    EXPECT_TRUE(listed.contains(id)) << "a job is missing from the list: " << describe(*record);
  }
  check_dependencies(snapshot);
  check_family(snapshot);
  check_counters(snapshot);
  check_ledgers(snapshot);
}

std::string difference(const lifecycle::JobFacts& a, const lifecycle::JobFacts& b) {
  std::string text;
  const auto number = [&](const char* what, auto one, auto other) {
    if (one == other) return;
    text += std::string(what) + " " + std::to_string(static_cast<std::int64_t>(one)) + " and " +
            std::to_string(static_cast<std::int64_t>(other)) + "; ";
  };
  const auto time = [&](const char* what, Time one, Time other) { number(what, one.ms, other.ms); };
  const auto value = [&](const char* what, bool same) {
    if (!same) text += std::string(what) + "; ";
  };
  value("terms", *a.terms == *b.terms);
  number("state", a.state, b.state);
  number("priority", a.priority, b.priority);
  number("cancel_requested", a.cancel_requested, b.cancel_requested);
  number("has_callback", a.has_callback, b.has_callback);
  number("has_account", a.has_account, b.has_account);
  number("has_staged", a.has_staged, b.has_staged);
  number("attempt", a.attempt, b.attempt);
  number("retry_count", a.retry_count, b.retry_count);
  number("release_count", a.release_count, b.release_count);
  number("progress", a.progress, b.progress);
  number("version", a.version, b.version);
  number("history_count", a.history_count, b.history_count);
  number("held", a.held, b.held);
  number("delay", a.delay.ms, b.delay.ms);
  time("not_before", a.not_before, b.not_before);
  time("created_at", a.created_at, b.created_at);
  time("updated_at", a.updated_at, b.updated_at);
  time("scheduled_at", a.scheduled_at, b.scheduled_at);
  time("run_at", a.run_at, b.run_at);
  time("started_at", a.started_at, b.started_at);
  time("completed_at", a.completed_at, b.completed_at);
  value("failure_category", a.failure_category == b.failure_category);
  value("error_type", a.error_type == b.error_type);
  value("execution", a.execution == b.execution);
  return text;
}

std::string describe(const JobRecord& record) {
  const lifecycle::JobFacts& facts = record.facts;
  std::string text = "job " + std::to_string(record.number) + " " + to_string(record.id);
  text += " " + record.spec->queue + "/" + record.spec->type;
  text += " " + std::string(facts.terms->profile->name) + " " + std::string(name(facts.state)) +
          " attempt " + std::to_string(facts.attempt) + " of " +
          std::to_string(facts.terms->retry.max_attempts) + " version " +
          std::to_string(facts.version) + " history";
  for (const HistoryEntry& entry : record.history) {
    text += " " + std::string(name(entry.trigger)) + ":" + std::string(name(entry.to)) + "@" +
            std::to_string(entry.at.ms);
  }
  return text;
}

}  // namespace baton::store::conformance
