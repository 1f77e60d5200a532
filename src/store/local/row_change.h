// What a turn of the Machine writes, in the order in which it happened: the whole of it, or nothing
// of it, becomes durable. Whoever keeps rows (memory, catalog) applies these and needs nothing
// else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lifecycle/change.h"
#include "store/commands.h"
#include "store/record.h"

namespace baton::store::local {

// The parts of a change that most changes do not have.
struct JobTexts {
  std::optional<FailureText> failure;            // the job's new last failure
  std::optional<FailureText> execution_failure;  // why the latest execution was aborted
  std::optional<Outcome> result;
  std::optional<std::string> progress_message;
  std::optional<std::string> checkpoint;
  std::optional<std::vector<std::pair<std::string, std::string>>> tags;
  std::optional<std::string> correlation_id;
  std::optional<std::string> callback_url;
  std::vector<std::shared_ptr<const Submission>> staged;  // added to what is staged already
};

// A job is new or changed. Members that are unset leave the row as it is.
struct JobChange {
  JobId id;
  std::int64_t number = 0;
  lifecycle::Job facts;                    // all of them, as they are now
  std::shared_ptr<const Submission> made;  // set: the job is new, made from this
  JobId parent;                            // new jobs only
  JobId redriven_from;                     // new jobs only
  std::string worker;                      // set by a claim: who opened facts.execution
  bool execution_changed = false;          // facts.execution is to be written
  bool failure_cleared = false;
  bool durable = true;          // false: a crash may forget it (a bare heartbeat)
  bool staged_cleared = false;  // staged children were made, or dropped
  base::InlineVector<lifecycle::HistoryEntry, 4> history;
  std::unique_ptr<JobTexts> texts;
};

struct JobGone {
  JobId id;
};

struct QueueChange {
  std::string name;
  QueueSettings settings;
};

struct AccountChange {
  AccountRecord account;
  std::optional<LedgerEntry> entry;
  std::string grant_key;  // the idempotency key of a grant; empty otherwise
};

// A record of the audit log.
struct AuditRecord {
  std::string action;  // "SAFE_BLOCK"
  JobId job;
  std::string account;
  Time at;
};

using RowChange = std::variant<JobChange, JobGone, QueueChange, AccountChange, AuditRecord>;

}  // namespace baton::store::local
