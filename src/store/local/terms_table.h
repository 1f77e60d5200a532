// The terms of jobs, each distinct value kept once for as long as the store is open: most jobs of
// a queue share one. One thread at a time; the values may be read from any.
#pragma once

#include <memory>
#include <unordered_map>

#include "lifecycle/job.h"

namespace baton::store::local {

class TermsTable {
 public:
  const lifecycle::Terms* keep(lifecycle::Terms terms);

 private:
  std::unordered_multimap<std::size_t, std::unique_ptr<const lifecycle::Terms>> kept_;
  const lifecycle::Terms* latest_ = nullptr;
};

}  // namespace baton::store::local
