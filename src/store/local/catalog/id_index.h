// Which number a job has, by its id. Ids are random, so that adding each to a sorted table at once
// would write a page of it for every job. Instead the table `ids` is behind: it is sorted into
// slices by the first bits of the id, and has the jobs of each slice up to some number. Jobs after
// that are found by a map in memory. A connection that shares the writer's map reads nothing to
// find them; any other fills a map of its own from `jobs`. The writer brings one slice at a time up
// to date, many jobs in one go. Within a transaction of the caller unless said otherwise; one
// thread at a time.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "store/id_prefix.h"
#include "store/ids.h"
#include "store/local/catalog/later_ids.h"
#include "store/local/catalog/sql.h"
#include "store/local/machine/tuning.h"

namespace baton::store::local {

std::string_view bytes_of(const JobId& id);

struct IdOptions {
  std::shared_ptr<LaterIds> shared;  // nullptr: the connection learns by itself
  bool publishes = false;            // it is the writer, who fills the shared map
  std::int64_t least_behind = Tuning{}.ids_least_behind;
};

class IdIndex {
 public:
  static constexpr std::size_t kSlices = LaterIds::kSlices;

  explicit IdIndex(Database& database, IdOptions options = {});

  // For a connection that shares the writer's map, before its transaction begins: the number of a
  // job that the table may lack.
  std::optional<std::int64_t> find_shared(const JobId& id) const;
  // The same for several look-ups within one transaction: what is in the map when it begins stays
  // there as long as this lives.
  std::shared_lock<std::shared_mutex> keep_shared() const;
  // A number that the job has, unless it was deleted; nullopt when no job has the id. A connection
  // that shares the writer's map looks into the table alone.
  std::optional<std::int64_t> find(const JobId& id);

  // The same two for ids that begin alike, of which there are few: the numbers of jobs that may
  // have such ids, in any order. `most`: so many are looked for in the table.
  std::vector<std::int64_t> find_shared(const IdPrefix& prefix) const;
  std::vector<std::int64_t> find(const IdPrefix& prefix, std::size_t most);

  // For the writer: a job was added, after all that are there.
  void added(const JobId& id, std::int64_t number);
  // For the writer: takes a job that is about to be deleted out of the table.
  void remove(const JobId& id, std::int64_t number);
  // For the writer: what was added and removed is committed, and others may see it.
  void committed();
  // For the writer, between its transactions: brings the slice that is farthest behind up to date,
  // in a transaction of its own, if it is far behind; more slices only if they are very far behind.
  // `last_number`: of all jobs.
  void catch_up(std::int64_t last_number);

  // Whether the table has jobs of this id's slice up to this number.
  bool covers(const JobId& id, std::int64_t number);
  // How many jobs have room in the map as it is.
  std::size_t room() const { return later_jobs_.bucket_count(); }
  // After a rollback: nothing that was learnt is believed.
  void forget();

 private:
  void learn();
  void publish_all();
  bool read_later(std::int64_t most);
  void read_slices();
  void drop_covered();
  void merge(std::size_t slice, std::int64_t last_number);
  std::int64_t least() const;

  Database& database_;
  IdOptions options_;
  std::vector<LaterIds::Job> added_;  // since the last commit
  std::vector<JobId> removed_;        // likewise
  Statement in_table_;
  Statement by_head_;
  Statement later_;
  Statement slices_;
  Statement add_;
  Statement remove_;
  Statement move_;
  std::array<std::int64_t, kSlices> until_{};  // the table has the jobs up to this number
  bool read_ = false;                          // `until_` and `later_jobs_` are filled
  std::int64_t seen_ = 0;                      // jobs up to this number were looked at
  boost::unordered_flat_map<JobId, std::int64_t, std::hash<JobId>> later_jobs_;
  std::size_t drop_at_ = 0;  // so many of them are worth a look at which are covered by now
};

}  // namespace baton::store::local
