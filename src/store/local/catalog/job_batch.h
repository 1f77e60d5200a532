// The jobs that some turns touch, each with all its changes applied: those that the catalog has are
// read once, those that are new never. What it holds afterwards is what is to be written. One
// thread; lives as long as one transaction.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <optional>

#include "store/local/catalog/job_rows.h"

namespace baton::store::local {

// What the catalog has of a job that is to be written again.
struct RowBefore {
  std::int64_t kind = 0;
  JobState state = JobState::kNone;
  PayloadIs payload = PayloadIs::kInside;
  std::string body;
  std::string extras;
  Labels labels;
  std::optional<HeldKey> key;
};

struct TouchedJob {
  StoredJob job;
  std::uint64_t turn = 0;           // the last one that touched it
  std::optional<RowBefore> before;  // unset: the catalog does not have it
  bool gone = false;
};

class JobBatch {
 public:
  explicit JobBatch(JobRows& rows) : rows_(rows) {}

  // Changes in the order in which they happened. Thrown: a change of a job that is not there.
  void apply(std::uint64_t turn, const JobChange& change);
  void apply(std::uint64_t turn, const JobGone& change);
  void apply(std::uint64_t turn, const WaitOver& change);

  // By rising number.
  std::vector<TouchedJob*> jobs();
  std::int64_t last_number() const { return last_number_; }

 private:
  TouchedJob& make(const JobChange& change);
  TouchedJob& existing(const JobId& id, std::optional<std::int64_t> number);
  TouchedJob* find(const JobId& id, std::optional<std::int64_t> number);

  JobRows& rows_;
  std::deque<TouchedJob> jobs_;
  boost::unordered_flat_map<JobId, TouchedJob*, std::hash<JobId>> by_id_;
  std::int64_t last_number_ = 0;
};

}  // namespace baton::store::local
