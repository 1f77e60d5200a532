// The numbers of jobs that the table `ids` does not have yet, by id: one map for all connections of
// a process. The writer adds jobs once they are committed, and takes them out once the table has
// them. Any thread.
//
// A reader looks here before its transaction begins and into the table within it: what was taken
// out by then is in the table that it sees.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

#include "store/id_prefix.h"
#include "store/ids.h"

namespace baton::store::local {

class LaterIds {
 public:
  static constexpr std::size_t kSlices = 16;
  using Job = std::pair<JobId, std::int64_t>;

  static std::size_t slice_of(const JobId& id) { return id.uuid.bytes[0] / (256 / kSlices); }

  std::optional<std::int64_t> find(const JobId& id) const {
    const std::lock_guard lock(mutex_);
    const auto& slice = slices_[slice_of(id)];
    const auto found = slice.find(id);
    return found == slice.end() ? std::nullopt : std::optional(found->second);
  }
  // Of all jobs whose ids begin so; these are of one slice.
  std::vector<std::int64_t> find(const IdPrefix& prefix) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::int64_t> numbers;
    for (const auto& [id, number] : slices_[slice_of(prefix.lowest)]) {
      if (prefix.matches(id)) numbers.push_back(number);
    }
    return numbers;
  }
  void add(std::span<const Job> jobs) {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, number] : jobs)
      slices_[slice_of(id)].emplace(id, number);
  }
  void remove(const JobId& id) {
    const std::lock_guard lock(mutex_);
    slices_[slice_of(id)].erase(id);
  }
  // Nothing is dropped while it lives.
  std::shared_lock<std::shared_mutex> keep() const { return std::shared_lock(keeping_); }
  // The table has the jobs of a slice up to this number.
  void drop(std::size_t slice, std::int64_t last) {
    const std::unique_lock nobody_keeps(keeping_);
    const std::lock_guard lock(mutex_);
    auto& jobs = slices_[slice];
    boost::unordered::erase_if(jobs, [last](const auto& job) { return job.second <= last; });
    if (jobs.bucket_count() > 4 * jobs.size()) jobs.rehash(0);
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    std::size_t size = 0;
    for (const auto& slice : slices_)
      size += slice.size();
    return size;
  }

 private:
  using Slice = boost::unordered_flat_map<JobId, std::int64_t, std::hash<JobId>>;

  mutable std::shared_mutex keeping_;  // taken before mutex_
  mutable std::mutex mutex_;
  std::array<Slice, kSlices> slices_;  // guarded by mutex_
};

}  // namespace baton::store::local
