// The terms that decoded rows point to, each distinct value kept once for as long as the store is
// open. Any thread.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/local/terms_table.h"

namespace baton::store::local {

// Backoff functions of an embedding program, by the names that rows keep.
using BackoffFunctions = std::vector<std::pair<std::string, BackoffFunction>>;

class KeptTerms {
 public:
  explicit KeptTerms(BackoffFunctions functions = {}) : functions_(std::move(functions)) {}
  // For tools that look at jobs and run none: any name will do.
  static BackoffFunctions any_function() {
    return {{"*", [](int, base::Duration initial, base::Duration) { return initial; }}};
  }

  const lifecycle::Terms* keep(lifecycle::Terms terms) {
    const std::lock_guard lock(mutex_);
    return table_.keep(std::move(terms));
  }
  // nullptr for a name that nobody registered.
  BackoffFunction function(const std::string& name) const {
    for (const auto& [known, function] : functions_) {
      if (known == name || known == "*") return function;
    }
    return nullptr;
  }

 private:
  BackoffFunctions functions_;
  std::mutex mutex_;
  TermsTable table_;  // guarded by mutex_
};

}  // namespace baton::store::local
