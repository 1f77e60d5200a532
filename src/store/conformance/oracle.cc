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

bool same_facts(const lifecycle::Job& a, const lifecycle::Job& b) {
  if ((a.terms == nullptr) != (b.terms == nullptr)) return false;
  if (a.terms != nullptr && !(*a.terms == *b.terms)) return false;
  lifecycle::Job same = a;
  same.terms = b.terms;
  return same == b;
}

std::string describe(const JobRecord& record) {
  const lifecycle::Job& facts = record.facts;
  std::string text = "job " + std::to_string(record.number) + " " + format(record.id);
  text += " " + record.spec->queue + "/" + record.spec->type;
  text += " " + std::string(facts.terms->profile->name) + " " +
          std::string(lifecycle::name(facts.state)) + " attempt " + std::to_string(facts.attempt) +
          " of " + std::to_string(facts.terms->retry.max_attempts) + " version " +
          std::to_string(facts.version) + " history";
  for (const lifecycle::HistoryEntry& entry : record.history) {
    text += " " + std::string(lifecycle::name(entry.trigger)) + ":" +
            std::string(lifecycle::name(entry.to)) + "@" + std::to_string(entry.at.ms);
  }
  return text;
}

}  // namespace baton::store::conformance
