// Writes the jobs of a batch: rows are added, changed or deleted, each once, and only the columns
// and indexes that differ are touched. Keeps `counts` by the net change. Within a transaction of
// the caller; one thread.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "store/local/catalog/job_batch.h"

namespace baton::store::local {

class JobWriter {
 public:
  JobWriter(Database& database, JobRows& rows);

  // `jobs` by rising number.
  void write(std::span<TouchedJob* const> jobs);

 private:
  void add(const TouchedJob& job);
  void change(const TouchedJob& job);
  void remove(const TouchedJob& job);
  void change_row(const TouchedJob& job, const RowBefore& before, bool has_extras);
  void add_tags(std::int64_t number, const Labels& labels);
  void remove_tags(std::int64_t number, const Labels& labels);
  void write_counts();
  std::int64_t kind_of(const JobRecord& record);
  std::string facts_of(const JobRecord& record, bool has_extras);

  JobRows& rows_;
  Statement add_job_;
  Statement add_body_;
  Statement add_payload_;
  Statement put_extras_;
  Statement add_tag_;
  Statement change_facts_;
  Statement change_state_;
  Statement change_correlation_;
  Statement change_key_;
  Statement change_body_;
  Statement remove_job_;
  Statement remove_body_;
  Statement remove_payload_;
  Statement remove_extras_;
  Statement remove_redrive_;
  Statement remove_tag_;
  Statement add_count_;
  std::map<std::pair<std::int64_t, JobState>, std::int64_t> counts_;
};

}  // namespace baton::store::local
