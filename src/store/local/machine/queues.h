// Queues by name: settings, counts of jobs by state, and what limits claims. A queue is numbered
// and stays until it is removed, at about two hundred bytes beside settings of its own and a long
// name; then its number is given to another one, though not before `free_removed` is called: until
// then its name can be read. Also the numbering of other names that stay. One thread.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "baton/queue.h"
#include "lifecycle/rate.h"
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

class ReadyQueue {
 public:
  explicit ReadyQueue(std::string_view queue_name = {}) : name(queue_name) {}

  const QueueSettings& settings() const;
  void set(QueueSettings settings);

  std::int64_t count(JobState state) const { return counts[static_cast<std::size_t>(state)]; }
  std::int64_t records() const;
  std::int64_t waiting() const;  // neither running nor ended
  // How many more jobs may be claimed now, at most `wanted`.
  int allows(Time now, int wanted) const;

  std::string name;
  std::array<std::int64_t, lifecycle::kJobStateCount> counts{};  // job records by state
  lifecycle::RateState rate;

 private:
  std::unique_ptr<const QueueSettings> own_;  // nullptr: those that queues are made with
};

class Queues {
 public:
  std::uint32_t find(std::string_view name) const;
  // A queue with the default settings when it is not there.
  std::uint32_t make(std::string_view name, bool* made);
  // Forgets a queue that holds no job records.
  void remove(std::uint32_t index);
  // Frees the numbers of queues that were removed.
  void free_removed();
  ReadyQueue& operator[](std::uint32_t index) { return queues_[index]; }
  const ReadyQueue& operator[](std::uint32_t index) const { return queues_[index]; }
  std::size_t size() const { return by_name_.size(); }

  struct Earlier {
    using is_transparent = void;
    const std::deque<ReadyQueue>* queues;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return (*queues)[a].name < (*queues)[b].name;
    }
    bool operator()(std::uint32_t a, std::string_view b) const { return (*queues)[a].name < b; }
    bool operator()(std::string_view a, std::uint32_t b) const { return a < (*queues)[b].name; }
  };
  using ByName = std::set<std::uint32_t, Earlier>;
  const ByName& by_name() const { return by_name_; }

  // Counts job records of a queue in a state, and of all queues.
  void count(std::uint32_t index, JobState state, std::int64_t by);
  using Counts = std::array<std::int64_t, lifecycle::kJobStateCount>;
  const Counts& totals() const { return totals_; }

 private:
  struct Hash {
    using is_transparent = void;
    const std::deque<ReadyQueue>* queues;
    std::size_t operator()(std::uint32_t index) const { return (*this)((*queues)[index].name); }
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };
  struct Equal {
    using is_transparent = void;
    const std::deque<ReadyQueue>* queues;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t a, std::string_view b) const { return (*queues)[a].name == b; }
    bool operator()(std::string_view a, std::uint32_t b) const { return a == (*queues)[b].name; }
  };

  std::deque<ReadyQueue> queues_;
  boost::unordered_flat_set<std::uint32_t, Hash, Equal> numbers_{0, Hash{&queues_},
                                                                 Equal{&queues_}};
  ByName by_name_{Earlier{&queues_}};
  std::vector<std::uint32_t> removed_;
  std::vector<std::uint32_t> free_;
  Counts totals_{};
};

// The refusal of a queue that would be one too many.
Error too_many_queues(std::size_t most);

// The settings after an update, or why they would be wrong: conflict, invalid_job, not_in_profile.
Result<QueueSettings> updated(const ReadyQueue& queue, const QueueUpdate& update,
                              const BackoffFunctions& functions);

Queue view_of(const ReadyQueue& queue);

}  // namespace baton::store::local
