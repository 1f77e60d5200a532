// In which order jobs that ended badly are redriven: each after the jobs that it waited for, and
// theirs in turn, wherever they stand in the list. Only those are redriven that a filter lets pass
// and of which no copy was made; a dependency of another kind is left as it is. Each step goes on
// when the store has answered; the object lives in the callbacks. One job at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

#include "store/store.h"

namespace baton::api {

class RedriveOrder : public std::enable_shared_from_this<RedriveOrder> {
 public:
  // Called for each job, in an order in which they can be redriven. Must not block.
  using Redrive = std::function<void(const JobId&)>;
  // How many records were read for it; not `whole`: the budget was used up before its turn came.
  using Done = std::function<void(std::size_t examined, bool whole)>;

  RedriveOrder(store::Store& store, store::ListJobs filter, Redrive redrive);

  // Whether the job was redriven for another one that waited for it, or was found not to be.
  bool has_seen(const JobId& id) const { return entered_.contains(id); }
  // Redrives what must come before the job, and then the job itself. Reads at most `budget`
  // records. Not while another one is under way.
  void run(std::shared_ptr<const store::JobRecord> job, std::size_t budget, Done done);

 private:
  struct Visit {
    JobId id;
    bool fans_in = false;  // somebody waits for its children too
    std::shared_ptr<const store::JobRecord> record = nullptr;
    bool redrives = false;  // it is to be redriven when those above it are done
  };

  void go_on();
  void step();
  void read(const JobId& id);
  void expand();
  void finish(bool whole);

  store::Store& store_;
  const store::ListJobs filter_;
  const Redrive redrive_;
  Done done_;
  std::size_t budget_ = 0;
  std::size_t examined_ = 0;
  std::vector<Visit> stack_;
  std::unordered_set<JobId> entered_;
  std::unordered_set<JobId> fanned_in_;  // whose children were looked at
  std::atomic<int> steps_ = 0;
};

}  // namespace baton::api
