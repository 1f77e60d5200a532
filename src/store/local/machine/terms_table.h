// The terms of a store's jobs: each distinct value is there once, because most jobs of a queue
// share one, and for as long as anything refers to it. Values that nothing refers to any more are
// found by looking at a few entries whenever there is a new one, and in every turn; a few may stay.
// Beside them the backoff functions that terms may name. Any thread. References may outlive the
// table.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lifecycle/terms.h"

namespace baton::store::local {

class TermsTable {
 public:
  // So many values may stay without being used.
  static constexpr std::size_t kSpared = 64;

  explicit TermsTable(BackoffFunctions functions = {}) : functions_(std::move(functions)) {}
  TermsTable(const TermsTable&) = delete;
  TermsTable& operator=(const TermsTable&) = delete;
  // For tools that look at jobs and run none: any name will do.
  static BackoffFunctions any_function() {
    return {{"*", [](int, Duration initial, Duration) { return initial; }}};
  }

  // The one reference to these terms that all share.
  lifecycle::TermsRef keep(lifecycle::Terms terms);
  // Looks at the next `most` values, and forgets those that nothing refers to.
  void sweep(std::size_t most);
  std::size_t size() const;

  // What terms may name.
  const BackoffFunctions& functions() const { return functions_; }

 private:
  struct Entry {
    lifecycle::TermsRef terms;
    std::size_t hash = 0;
  };
  struct Wanted {
    const lifecycle::Terms& terms;
    std::size_t hash = 0;
  };
  struct Hash {
    using is_transparent = void;
    const std::vector<Entry>* entries;
    std::size_t operator()(std::uint32_t index) const { return (*entries)[index].hash; }
    std::size_t operator()(const Wanted& wanted) const { return wanted.hash; }
  };
  struct Equal {
    using is_transparent = void;
    const std::vector<Entry>* entries;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t a, const Wanted& b) const {
      return (*entries)[a].hash == b.hash && *(*entries)[a].terms == b.terms;
    }
    bool operator()(const Wanted& a, std::uint32_t b) const { return (*this)(b, a); }
  };

  void sweep_locked(std::size_t most);
  void remove(std::uint32_t index);

  const BackoffFunctions functions_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // guarded by mutex_, as all below
  boost::unordered_flat_set<std::uint32_t, Hash, Equal> by_value_{0, Hash{&entries_},
                                                                  Equal{&entries_}};
  lifecycle::TermsRef latest_;  // what was asked for last
  std::uint32_t next_ = 0;      // that is looked at
};

}  // namespace baton::store::local
