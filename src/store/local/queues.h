// Queues by name: settings, counts of jobs by state, and what limits claims. Also the numbering of
// names (queues, job types), so that a slot holds four bytes instead of a text. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lifecycle/rate.h"
#include "lifecycle/submission.h"
#include "store/commands.h"

namespace baton::store::local {

inline constexpr std::uint32_t kNoName = UINT32_MAX;

// Texts numbered in the order of their first use.
class Names {
 public:
  std::uint32_t number(std::string_view text);      // gives a new number when it is new
  std::uint32_t find(std::string_view text) const;  // kNoName when it is not there
  const std::string& text(std::uint32_t number) const { return texts_[number]; }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

struct Queue {
  std::string name;
  QueueSettings settings;
  std::array<std::int64_t, lifecycle::kJobStateCount> counts{};  // job records by state
  lifecycle::RateState rate;

  std::int64_t count(JobState state) const {
    return counts[static_cast<std::size_t>(state)];
  }
  std::int64_t records() const;
  std::int64_t waiting() const;  // neither running nor ended
  // How many more jobs may be claimed now, at most `wanted`.
  int allows(base::Time now, int wanted) const;
};

class Queues {
 public:
  std::uint32_t find(std::string_view name) const { return names_.find(name); }
  // A queue with the default settings when it is not there.
  std::uint32_t make(std::string_view name, bool* made);
  Queue& operator[](std::uint32_t index) { return queues_[index]; }
  const Queue& operator[](std::uint32_t index) const { return queues_[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(queues_.size()); }

  using ByName = std::map<std::string_view, std::uint32_t>;
  const ByName& by_name() const { return by_name_; }

  // Counts job records of a queue in a state, and of all queues.
  void count(std::uint32_t index, JobState state, std::int64_t by);
  using Counts = std::array<std::int64_t, lifecycle::kJobStateCount>;
  const Counts& totals() const { return totals_; }

 private:
  Names names_;
  std::deque<Queue> queues_;
  ByName by_name_;  // the names stand in queues_
  Counts totals_{};
};

// The settings after an update, or why they would be wrong: conflict, invalid_job, not_in_profile.
base::Result<QueueSettings> updated(const Queue& queue, const QueueUpdate& update);

QueueView view_of(const Queue& queue);

}  // namespace baton::store::local
