// Compares a contract, written by hand as rows, with what decide() does: every pair of a situation
// and an event, the words that a job shows, and the transitions that the contract's own document
// lists. For tests only; one thread.
#pragma once

#include "lifecycle/contract_matrix.h"

namespace baton::lifecycle::testbed {

inline Life reach(const Contract& contract, std::string_view situation) {
  Life life(contract.profile);
  kSituations.at(situation)(life);
  return life;
}

// Nothing but a creation can meet a job that does not exist.
inline std::vector<std::string_view> events_in(std::string_view situation) {
  return words_in(kGroups.at(situation.starts_with("NONE") ? "@create" : "@any"));
}

inline std::vector<Row> rows_of(const Contract& contract, std::string_view situation,
                                std::string_view event) {
  std::vector<Row> found;
  const auto look = [&](std::span<const Row> rows) {
    for (const Row& row : rows) {
      if (lists(row.situations, situation) && lists(row.events, event)) found.push_back(row);
    }
  };
  look(kCommonRows);
  look(contract.rows);
  return found;
}

// What is true of every change: it counts once, and its history is whole.
inline void expect_sound(const JobFacts& before, const Change& change, Time now, Actor actor) {
  EXPECT_EQ(change.job.version, before.version + (change.job_changed ? 1 : 0));
  EXPECT_EQ(change.job.history_count,
            before.history_count + static_cast<std::int64_t>(change.history.size()));
  JobState state = before.state;
  std::int64_t seq = before.history_count;
  for (const HistoryEntry& entry : change.history) {
    const bool in_execution = entry.from == JobState::kRunning || entry.to == JobState::kRunning;
    EXPECT_EQ(entry.seq, ++seq);
    EXPECT_EQ(entry.from, state);
    EXPECT_EQ(entry.at, now);
    EXPECT_EQ(entry.actor, actor);
    EXPECT_EQ(entry.attempt, in_execution ? change.job.attempt : 0);
    state = entry.to;
  }
  EXPECT_EQ(change.job.state, state);
  const bool moved = !change.history.empty();
  EXPECT_EQ(change.job.updated_at, moved ? now : before.updated_at);
  EXPECT_TRUE(change.job_changed || change.execution_changed || change.job == before);
}

inline void expect_cell(const Contract& contract, const Row& row, std::string_view situation,
                        std::string_view event) {
  SCOPED_TRACE(std::string(situation) + " x " + std::string(event));
  Life life = reach(contract, situation);
  const Maker& maker = kEvents.at(event);
  const Event made = maker.make(life);
  const auto result = decide(life.job, made, life.now, kMiddle);
  EXPECT_EQ(describe(result), row.expected);
  const bool timer = std::holds_alternative<TimerDue>(made);
  const auto settled = settle(life.job, life.now, kMiddle);
  EXPECT_TRUE(timer || !settled.has_value());
  if (!result.ok()) {
    EXPECT_FALSE(result.error().message.empty());
    return;
  }
  expect_sound(life.job, result.value(), life.now, maker.actor);
  const JobState to = result.value().job.state;
  EXPECT_EQ(life.profile().word(to), contract.words.at(to));
  if (timer) {
    ASSERT_TRUE(settled.has_value());
    EXPECT_EQ(settled->job, result.value().job);
    EXPECT_EQ(describe(*settled), row.expected);
  }
}

// Every pair has exactly one row, and does what the row says.
inline void expect_matrix(const Contract& contract) {
  for (std::string_view situation : words_in(contract.situations)) {
    for (std::string_view event : events_in(situation)) {
      const auto rows = rows_of(contract, situation, event);
      EXPECT_EQ(rows.size(), 1u) << situation << " x " << event;
      if (rows.size() == 1) expect_cell(contract, rows.front(), situation, event);
    }
  }
}

// Every row speaks of known situations and events, and of one at least that this contract has.
inline void expect_no_idle_row(const Contract& contract) {
  for (const Row& row : contract.rows) {
    bool used = false;
    for (std::string_view situation : words_in(row.situations)) {
      EXPECT_TRUE(kSituations.contains(situation)) << situation;
      used = used || lists(contract.situations, situation);
    }
    for (std::string_view event : words_in(row.events))
      EXPECT_TRUE(kEvents.contains(event)) << event;
    EXPECT_TRUE(used) << row.situations << " x " << row.events;
  }
}

// The contract's situations show the contract's words, and every word is shown.
inline void expect_words(const Contract& contract) {
  std::set<JobState> seen;
  for (std::string_view situation : words_in(contract.situations)) {
    const Life life = reach(contract, situation);
    if (life.job.state == JobState::kNone) continue;
    ASSERT_TRUE(contract.words.contains(life.job.state)) << situation;
    EXPECT_EQ(life.word(), contract.words.at(life.job.state)) << situation;
    EXPECT_TRUE(situation.starts_with(name(life.job.state)) || life.job.state == JobState::kRunning)
        << situation;
    seen.insert(life.job.state);
  }
  EXPECT_EQ(seen.size(), contract.words.size());
}

inline std::string word_of(const Contract& contract, JobState state) {
  return state == JobState::kNone ? "" : std::string(contract.words.at(state));
}

// Every step from one word to another that one pair takes.
inline std::set<WordStep> steps_of(const Contract& contract, std::string_view situation,
                                   std::string_view event) {
  std::set<WordStep> steps;
  Life life = reach(contract, situation);
  const Event made = kEvents.at(event).make(life);
  const auto result = decide(life.job, made, life.now, kMiddle);
  if (!result.ok()) return steps;
  for (const HistoryEntry& entry : result.value().history) {
    WordStep step{word_of(contract, entry.from), word_of(contract, entry.to)};
    if (step.first != step.second) steps.insert(std::move(step));
  }
  return steps;
}

// Each transition of the document happens, by the event that stands for its trigger.
inline void expect_seed_rows(const Contract& contract) {
  for (const SeedRow& row : contract.seed) {
    const auto steps = steps_of(contract, row.situation, row.event);
    EXPECT_TRUE(steps.contains({std::string(row.from), std::string(row.to)}))
        << row.from << " to " << row.to << ": " << row.trigger;
  }
}

// Between words, a job makes the steps of the document and of the additions, and no other.
inline void expect_no_other_step(const Contract& contract) {
  std::set<WordStep> allowed;
  for (const SeedRow& row : contract.seed)
    allowed.insert({std::string(row.from), std::string(row.to)});
  for (const Addition& row : contract.additions) {
    EXPECT_TRUE(allowed.insert({std::string(row.from), std::string(row.to)}).second) << row.why;
  }
  std::set<WordStep> taken;
  for (std::string_view situation : words_in(contract.situations)) {
    for (std::string_view event : events_in(situation))
      taken.merge(steps_of(contract, situation, event));
  }
  for (const WordStep& step : taken)
    EXPECT_TRUE(allowed.contains(step)) << step.first << " to " << step.second;
  for (const WordStep& step : allowed)
    EXPECT_TRUE(taken.contains(step)) << step.first << " to " << step.second;
}

}  // namespace baton::lifecycle::testbed
