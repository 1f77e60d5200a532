// The verbs that are commands of the Machine, which every local store answers in the same way: post
// the command to the Machine's thread, and hand on its answer. How rows are read is each store's
// own. Internal to the folder.
#pragma once

#include "store/local/machine/machine_thread.h"
#include "store/store.h"

namespace baton::store::local {

// Turns the Machine's answer into the one that the verb promises.
template <class Expected>
MachineThread::Complete give(Done<Expected> done) {
  return [done = std::move(done)](Answer answer) {
    if (auto* error = std::get_if<Error>(&answer)) {
      done(std::move(*error));
    } else {
      done(std::get<Expected>(std::move(answer)));
    }
  };
}

// The rows of one answer: bad_request unless from 1 to 1,000.
Status check_limit(std::size_t limit);
// What of a list can be wrong: bad_request.
Status check_list(const ListJobs& filter);

Error no_such_record();

class CommandVerbs : public Store {
 public:
  void submit(SubmitBatch batch, Done<SubmitAnswer> done) override {
    post(std::move(batch), std::move(done));
  }
  void work(std::vector<WorkCall> calls, Done<std::vector<Result<CallAnswer>>> done) override;
  void cancel(CancelJob command, Done<JobAnswer> done) override {
    post(std::move(command), std::move(done));
  }
  void reject(RejectJob command, Done<JobAnswer> done) override {
    post(std::move(command), std::move(done));
  }
  void submit_draft(SubmitDraft command, Done<JobAnswer> done) override {
    post(command, std::move(done));
  }
  void patch(PatchJob command, Done<JobAnswer> done) override {
    post(std::move(command), std::move(done));
  }
  void redrive(RedriveJob command, Done<JobAnswer> done) override {
    post(command, std::move(done));
  }
  void remove(DeleteJob command, Done<Deleted> done) override { post(command, std::move(done)); }
  void set_queue(QueueUpdate update, Done<Queue> done) override {
    post(std::move(update), std::move(done));
  }
  void remove_queue(std::string name, Done<Deleted> done) override {
    post(RemoveQueue{std::move(name)}, std::move(done));
  }
  void get_queue(std::string name, Done<Queue> done) override {
    post(GetQueue{std::move(name)}, std::move(done));
  }
  void grant(GrantCredits command, Done<Account> done) override {
    post(std::move(command), std::move(done));
  }
  void get_account(std::string id, Done<Account> done) override {
    post(GetAccount{std::move(id)}, std::move(done));
  }
  void explain(JobId id, Done<Explanation> done) override { post(ExplainJob{id}, std::move(done)); }
  using Store::stats;
  void stats(StatsPage page, Done<Stats> done) override { post(std::move(page), std::move(done)); }
  void watch(Watchers watchers) override { thread().watch(std::move(watchers)); }
  void before_leases_end(CatchUp catch_up) override {
    thread().before_leases_end(std::move(catch_up));
  }
  void run_timers(Done<TimersAnswer> done) override { post(RunTimers{}, std::move(done)); }

 protected:
  virtual MachineThread& thread() = 0;

  template <class Expected>
  // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved on
  void post(Command command, Done<Expected> done) {
    thread().post(std::move(command), give(std::move(done)));
  }
};

}  // namespace baton::store::local
