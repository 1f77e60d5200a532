// How the Machine looks at what it no longer holds in memory: rows of jobs that ended in an
// earlier turn. Called on the Machine's thread, within a turn. An archive that cannot read answers
// as if there were nothing, and then sees to it that the turn is not kept.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/record.h"

namespace baton::store::local {

struct FinishedRef {
  JobId id;
  Time completed_at;
};

class Archive {
 public:
  virtual ~Archive() = default;

  // The row of a job as the turns before this one left it; nullptr when there is none.
  virtual std::shared_ptr<const JobRecord> find(const JobId& id) const = 0;

  // Finished jobs of a queue that ended before or at `until`, oldest first, at most `limit`:
  // COMPLETED ones or all the others.
  virtual std::vector<FinishedRef> finished(const std::string& queue, bool completed, Time until,
                                            std::size_t limit) const = 0;
};

}  // namespace baton::store::local
