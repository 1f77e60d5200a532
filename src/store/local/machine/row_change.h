// What a turn of the Machine writes, in the order in which it happened: the whole of it, or nothing
// of it, becomes durable. Whoever keeps rows (memory, catalog) applies these and needs nothing
// else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lifecycle/change.h"
#include "store/commands.h"
#include "store/local/machine/keys.h"
#include "store/record.h"

namespace baton::store::local {

// The parts of a change that most changes do not have.
struct JobTexts {
  std::optional<Failure> failure;            // the job's new last failure
  std::optional<Failure> execution_failure;  // why the latest execution was aborted
  std::optional<Outcome> result;
  std::optional<std::string> progress_message;
  std::optional<std::string> checkpoint;
  std::optional<std::vector<std::pair<std::string, std::string>>> tags;
  std::optional<std::string> correlation_id;
  std::optional<std::string> callback_url;
  std::vector<std::shared_ptr<const Submission>> staged;  // added to what is staged already
  std::optional<std::string> cancel_reason;               // of a request that waits for a worker
};

// One job that another one waits for, in one of its groups of dependencies.
struct Wait {
  JobId job;
  std::uint32_t group = 0;
  bool named = true;  // listed by the submission; false: a child of one that was

  friend bool operator==(const Wait&, const Wait&) = default;
};

// How far the dependencies of a job are. Kept as it is rather than counted again from the rows:
// what a job waited for may have been deleted since.
struct Waits {
  int depth = 1;  // an upper bound of its depth among unfinished dependencies
  std::vector<lifecycle::GroupCount> groups;
  std::vector<Wait> open;

  friend bool operator==(const Waits&, const Waits&) = default;
};

struct HeldKey {
  Key key;
  Time expires_at;
  PayloadHash payload = {};

  friend bool operator==(const HeldKey&, const HeldKey&) = default;
};

// A unique key that a live job holds.
struct HeldUnique {
  Key key;
  UniqueWhile held_while = UniqueWhile::kActive;
  PayloadHash payload;

  friend bool operator==(const HeldUnique&, const HeldUnique&) = default;
};

// What some jobs are born with, beside their submission.
struct Birth {
  std::optional<HeldKey> key;
  Waits waits;  // no groups: it waits for nobody
  std::optional<HeldUnique> unique;
};

// A job is new or changed. Members that are unset leave the row as it is.
struct JobChange {
  JobId id;
  std::int64_t number = 0;
  lifecycle::JobFacts facts;               // all of them, as they are now
  std::shared_ptr<const Submission> made;  // set: the job is new, made from this
  JobId parent;                            // new jobs only
  JobId redriven_from;                     // new jobs only
  std::unique_ptr<const Birth> birth;      // new jobs only
  std::int64_t ready = 0;                  // its place among the ready jobs; 0 unless SCHEDULED
  std::string worker;                      // set by a claim: who opened facts.execution
  bool execution_changed = false;          // facts.execution is to be written
  bool failure_cleared = false;
  bool durable = true;          // false: a crash may forget it (a bare heartbeat)
  bool staged_cleared = false;  // staged children were made, or dropped
  base::InlineVector<HistoryEntry, 4> history;
  std::unique_ptr<JobTexts> texts;
};

struct JobGone {
  JobId id;
};

// Whose commit made the job; nil for jobs that nobody's did, and for copies of such children.
JobId spawned_by(const JobChange& change);

// A job that `job` waited for has ended.
struct WaitOver {
  JobId job;
  std::uint32_t group = 0;
  JobId ended;
  lifecycle::GroupCount count;  // of the group, as it is now
  std::vector<JobId> children;  // of the ended one, which the group waits for from now on
};

struct QueueChange {
  std::string name;
  QueueSettings settings;
};

struct AccountChange {
  Account account;
  std::optional<LedgerEntry> entry;
  std::string grant_key;  // the idempotency key of a grant; empty otherwise
  Time submitted;         // set: one more submission that the quota counts
  // Set in turns that earlier versions wrote: all submissions of the past hour, oldest first.
  std::optional<std::vector<Time>> hour;
};

// Brings the submissions of an account's past hour up to date with one change of it.
void apply(std::vector<Time>& submissions, const AccountChange& change);

// A record of the audit log.
struct AuditRecord {
  std::string action;  // "SAFE_BLOCK"
  JobId job;
  std::string account;
  Time at;
};

// A copy was made of an ended job. What is kept of the job itself is not written again.
struct JobRedriven {
  JobId id;
  std::int64_t number = 0;
  JobId to;
  std::int64_t version = 0;  // of the job, from now on
};

struct QueueGone {
  std::string name;
};

using RowChange = std::variant<JobChange, JobGone, WaitOver, QueueChange, AccountChange,
                               AuditRecord, JobRedriven, QueueGone>;

// What a store keeps of a job: the record that readers see, and what the Machine needs to go on
// with a live job after a restart.
struct StoredJob {
  JobRecord record;
  std::int64_t ready = 0;            // its place among the ready jobs; 0 unless SCHEDULED
  std::optional<HeldKey> key;        // unset once the job has given it back
  Waits waits;                       // only while it waits
  std::optional<HeldUnique> unique;  // only while it holds it
};

// Brings a stored job up to date with one change of it.
void apply(StoredJob& job, const JobChange& change);
void apply(StoredJob& job, const WaitOver& change);

}  // namespace baton::store::local
