// What was asked of a store and what it acknowledged, over all rounds, and whether the store still
// agrees. Findings are sentences.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/store.h"

namespace baton::crash {

class Witness {
 public:
  // One line of the child.
  void hear(const std::string& line);
  // Everything that is wrong with the store, as far as acknowledged lines and records tell.
  // `everything`: also what was found well in earlier rounds.
  std::vector<std::string> examine(store::Store& store, bool everything);

  std::int64_t next_number() const { return highest_ + 1; }
  std::int64_t submitted() const { return static_cast<std::int64_t>(ids_.size()); }
  std::int64_t completed() const { return static_cast<std::int64_t>(completed_.size()); }

 private:
  void complain(const std::string& what) { wrong_.push_back(what); }
  void claimed(const ExecutionId& execution);
  void acknowledged(const std::string& verb, const ExecutionId& execution);
  void examine_submission(store::Store& store, std::int64_t number, const JobId& id);
  void examine_record(const store::JobRecord& record);
  void examine_all(store::Store& store);

  std::int64_t highest_ = 0;                // job number that was ever asked for
  std::map<std::int64_t, JobId> ids_;       // acknowledged submissions
  std::map<std::int64_t, JobId> fresh_;     // those of this round
  std::map<JobId, std::string> committed_;  // acknowledged, with the execution
  std::set<JobId> completed_;               // acknowledged
  std::vector<std::string> wrong_;
};

}  // namespace baton::crash
