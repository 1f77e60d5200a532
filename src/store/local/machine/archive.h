// How the Machine looks at what it no longer holds in memory: rows of jobs that ended in an
// earlier turn, of accounts and of grants. This is the only way by which a turn reads, and
// everything that it reads is counted. Called on the Machine's thread, within a turn.
//
// A row that is damaged is an error of code `damaged`: it concerns the one command that needed it.
// After any other error the archive sees to it that the turn is not kept.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "baton/result.h"
#include "store/local/machine/row_change.h"
#include "store/local/machine/stored.h"
#include "store/record.h"

namespace baton::store::local {

// What was read so far, of all kinds of rows together.
struct Reads {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;

  friend Reads operator-(const Reads& a, const Reads& b) {
    return {a.rows - b.rows, a.bytes - b.bytes};
  }
};

// What decisions want of a job that is not in memory: no payload, no texts, no history.
struct ArchivedJob {
  JobId id;
  std::int64_t number = 0;
  lifecycle::JobFacts facts;
  std::string queue;
  std::optional<HeldKey> key;  // unset once the job has given it back
  JobId redriven_to = {};      // nil unless a copy was made of it
};

// Jobs that are counted together: of one kind and in one state. Whoever has the rows numbers the
// kinds; a kind belongs to one queue.
struct Standing {
  std::int64_t kind = 0;
  JobState state = JobState::kNone;
  std::string queue;
  std::int64_t count = 0;
};

// An ended job in the order of its standing: by its end, then by its number.
struct EndedJob {
  JobId id;
  Time completed_at;
  std::int64_t number = 0;
  std::optional<HeldKey> key;
  bool gone = false;  // deleted by a turn before this one; the order does not know yet
};

class Archive {
 public:
  virtual ~Archive() = default;

  // The job as the turns before this one left it; nullopt when there is none.
  virtual Result<std::optional<ArchivedJob>> facts(const JobId& id) const = 0;
  // The jobs that its commit made, at most `lifecycle::kMaxBatch`; none when it is not there.
  virtual Result<std::vector<JobId>> children(const JobId& id) const = 0;
  // The token of one of its executions; nullopt when there is none.
  virtual Result<std::optional<LeaseToken>> token(const JobId& id, int attempt) const = 0;
  // The whole row, with payload and history; nullptr when there is none.
  virtual Result<std::shared_ptr<const JobRecord>> record(const JobId& id) const = 0;

  // The standings after this one, by kind and state, at most `limit`; also empty ones.
  virtual Result<std::vector<Standing>> standings(const Standing& after,
                                                  std::size_t limit) const = 0;
  // The jobs of a standing that ended after this one, but not after `until`: at most `limit`.
  virtual Result<std::vector<EndedJob>> ended(const Standing& standing, const EndedJob& after,
                                              Time until, std::size_t limit) const = 0;

  // The account as the turns before this one left it; nullopt when there is none. Only for one that
  // `is_told`, as every account is that is not in memory.
  virtual Result<std::optional<StoredAccount>> account(const std::string& id) const = 0;
  // Whether `account` tells everything that the turns before this one did to it.
  virtual bool is_told(const std::string& account) const = 0;
  // Whether a turn before this one made a grant to the account under this key.
  virtual Result<bool> has_grant(const std::string& account, const std::string& key) const = 0;

  virtual Reads reads() const = 0;
};

}  // namespace baton::store::local
