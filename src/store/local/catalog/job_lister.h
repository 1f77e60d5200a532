// Lists jobs by a filter, newest first, without reading rows that do not match where an index can
// tell: jobs of one kind in one state stand together in an index in the order of their numbers, and
// `counts` says which such groups there are. A list by queue, type or state merges the groups that
// match, unless they are too many; one by parent, tag, correlation or account walks that index; one
// by the beginning of ids looks these up; all others walk over the jobs. Each stops at the filter's
// budget. Within a read transaction of the caller; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/local/catalog/job_rows.h"
#include "store/local/catalog/number_merge.h"

namespace baton::store::local {

class JobLister {
 public:
  JobLister(Database& database, JobRows& rows);

  // As Rows::list; what is wrong is thrown. `later`: for a filter by the beginning of ids, what
  // IdIndex::find_shared had before the transaction.
  JobList list(const ListJobs& filter, const std::vector<std::int64_t>& later = {});

 private:
  struct Standing {
    std::int64_t kind = 0;
    std::int64_t state = 0;
  };
  struct Groups {
    std::vector<Standing> standings;
    std::int64_t jobs = 0;
  };
  // Numbers between the two, which are left out.
  struct Between {
    std::int64_t above = 0;
    std::int64_t below = 0;
  };

  Between bounds_of(const ListJobs& filter);
  std::int64_t first_made(Time at_or_after, bool exclusive);
  bool of_kind(std::int64_t kind, std::int64_t state, const ListJobs& filter);
  std::optional<Groups> groups_of(const ListJobs& filter);
  NumberMerge candidates(const ListJobs& filter, const Between& between);
  NumberMerge by_groups(const Groups& groups, const ListJobs& filter, const Between& between);
  NumberMerge by_prefix(const ListJobs& filter, const Between& between,
                        std::vector<std::int64_t> numbers);
  bool begins_with(std::int64_t number, const IdPrefix& prefix);
  bool matches(std::int64_t number, const ListJobs& filter);

  Database& database_;
  JobRows& rows_;
  Statement all_;
  Statement by_standing_;
  Statement by_account_;
  Statement by_correlation_;
  Statement by_parent_;
  Statement by_tag_;
  Statement id_;
  Statement standings_;
  Statement queue_standings_;
  Statement created_;
  Statement one_;
  Statement has_tag_;
  Statement is_redriven_;
  Statement last_number_;
  Statement in_order_;
};

}  // namespace baton::store::local
