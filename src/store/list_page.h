// One page of a list while a store fills it, newest job first: counts what was looked at and how
// many bytes are shown, says when to stop, and knows from where the next page goes on. Every store
// fills its pages here, so that budgets mean the same in all of them. One thread.
#pragma once

#include <memory>

#include "store/commands.h"

namespace baton::store {

// What a list shows of a job: a copy without result and checkpoint unless they were asked for, and
// without children. The submission is shared with the record.
std::shared_ptr<const JobRecord> listed(const JobRecord& record, JobParts with);

// About how many bytes a job takes in an answer.
std::size_t listed_bytes(const JobRecord& record, JobParts with);

// Whether a list that wants these shows a job of which a copy was made, or none.
bool shows(Redriven wanted, bool redriven);
// Whether the filter lets the job pass; cursor, limit and budget are not asked.
bool matches(const JobRecord& job, const ListJobs& filter);

class ListPage {
 public:
  // The filter must outlive the page.
  explicit ListPage(const ListJobs& filter) : filter_(filter) {}

  // Before each job that may match, in falling order of their numbers. False when the page ends
  // before it.
  bool looks_at(std::int64_t number);
  // Before a job that does match is read: false when the page is full and ends before it.
  bool has_room();
  // False when the page ends before this job, which is left out.
  bool add(std::shared_ptr<const JobRecord> job);
  // The page ends before the job that was looked at last: reading it would cost too much.
  void end_before_it();

  JobList take() { return std::move(list_); }

 private:
  const ListJobs& filter_;
  JobList list_;
  std::int64_t latest_ = 0;  // the number that was looked at last
};

}  // namespace baton::store
