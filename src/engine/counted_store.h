// A store that hands everything on to another one and counts the claims. For tests only.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace baton::engine {

class CountedStore : public store::Store {
 public:
  explicit CountedStore(store::Store& inner) : inner_(inner) {}

  int claims() const { return claims_; }

  void claim(ClaimRequest request, store::Done<store::ClaimAnswer> done) override {
    ++claims_;
    inner_.claim(std::move(request), std::move(done));
  }

  void submit(store::SubmitBatch batch, store::Done<store::SubmitAnswer> done) override {
    inner_.submit(std::move(batch), std::move(done));
  }
  void work(std::vector<WorkCall> calls,
            store::Done<std::vector<Result<store::CallAnswer>>> done) override {
    inner_.work(std::move(calls), std::move(done));
  }
  void cancel(CancelJob command, store::Done<store::JobAnswer> done) override {
    inner_.cancel(std::move(command), std::move(done));
  }
  void reject(RejectJob command, store::Done<store::JobAnswer> done) override {
    inner_.reject(std::move(command), std::move(done));
  }
  void submit_draft(store::SubmitDraft command, store::Done<store::JobAnswer> done) override {
    inner_.submit_draft(command, std::move(done));
  }
  void patch(PatchJob command, store::Done<store::JobAnswer> done) override {
    inner_.patch(std::move(command), std::move(done));
  }
  void redrive(RedriveJob command, store::Done<store::JobAnswer> done) override {
    inner_.redrive(command, std::move(done));
  }
  void remove(store::DeleteJob command, store::Done<store::Deleted> done) override {
    inner_.remove(command, std::move(done));
  }
  void set_queue(QueueUpdate update, store::Done<Queue> done) override {
    inner_.set_queue(std::move(update), std::move(done));
  }
  void remove_queue(std::string name, store::Done<store::Deleted> done) override {
    inner_.remove_queue(std::move(name), std::move(done));
  }
  void get_queue(std::string name, store::Done<Queue> done) override {
    inner_.get_queue(std::move(name), std::move(done));
  }
  void grant(GrantCredits command, store::Done<Account> done) override {
    inner_.grant(std::move(command), std::move(done));
  }
  void get_account(std::string id, store::Done<Account> done) override {
    inner_.get_account(std::move(id), std::move(done));
  }
  void entries(store::EntriesPage page, store::Done<std::vector<LedgerEntry>> done) override {
    inner_.entries(std::move(page), std::move(done));
  }
  void get(JobId id, store::Done<std::shared_ptr<const store::JobRecord>> done) override {
    inner_.get(id, std::move(done));
  }
  void list(store::ListJobs filter, store::Done<store::JobList> done) override {
    inner_.list(std::move(filter), std::move(done));
  }
  void explain(JobId id, store::Done<Explanation> done) override {
    inner_.explain(id, std::move(done));
  }
  using store::Store::stats;
  void stats(store::StatsPage page, store::Done<Stats> done) override {
    inner_.stats(std::move(page), std::move(done));
  }
  void watch(store::Watchers watchers) override { inner_.watch(std::move(watchers)); }
  void before_leases_end(store::CatchUp catch_up) override {
    inner_.before_leases_end(std::move(catch_up));
  }
  void run_timers(store::Done<store::TimersAnswer> done) override {
    inner_.run_timers(std::move(done));
  }
  void prune(store::Prune command, store::Done<Pruned> done) override {
    inner_.prune(command, std::move(done));
  }

 private:
  store::Store& inner_;
  std::atomic<int> claims_ = 0;
};

}  // namespace baton::engine
