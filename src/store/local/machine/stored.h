// What a Machine takes up again when a store is opened: everything but the ended jobs and the
// accounts without live ones. Whoever keeps the rows hands these over, in this order: queues, jobs
// by rising number and each account before the first job that needs it, keys by the rising number
// of their jobs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/local/machine/row_change.h"

namespace baton::store::local {

struct StoredQueue {
  std::string name;
  QueueSettings settings;
  std::vector<std::int64_t> counts;  // job records by canonical state, ended ones too
};

struct StoredAccount {
  Account account;
  std::vector<Time> submissions;  // as of the last change; oldest first
  std::int64_t entry_count = 0;

  friend bool operator==(const StoredAccount&, const StoredAccount&) = default;
};

// A live job, without what only readers want. Views and pointers are valid during the call.
struct LiveJob {
  JobId id;
  std::int64_t number = 0;
  std::string_view queue;
  std::string_view type;
  std::string_view account;  // of the submission; empty: none. Needed if `needs_account`
  lifecycle::JobFacts facts;
  std::int64_t ready = 0;
  std::int64_t checkpoint_bytes = 0;  // at least
  std::optional<HeldKey> key;
  const HeldUnique* unique = nullptr;  // nullptr: it holds none
  std::string_view cancel_reason;
  const Waits* waits = nullptr;                                            // nullptr: none
  const std::vector<std::shared_ptr<const Submission>>* staged = nullptr;  // likewise
  const std::vector<JobId>* children = nullptr;                            // likewise
};

// Whether an account counts the job, or has reserved credits for it.
inline bool needs_account(const lifecycle::JobFacts& job) {
  return job.has_account || job.held != 0;
}

// A key that may still hold, of a live or an ended job.
struct StoredKey {
  Key key;
  JobId job;
  Time created_at;
  Time expires_at;
  PayloadHash payload = {};
};

}  // namespace baton::store::local
