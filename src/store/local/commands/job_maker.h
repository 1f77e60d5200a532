// Making jobs: submissions, children of a commit and redrives all come through here. `plan` judges
// every submission against the limits, the idempotency keys, the unique keys, the queue, the quota
// and the credits, as if those before it in the batch had been made, and changes nothing. `make`
// then makes those that passed, and cancels those that they replace; it cannot fail. Internal to
// the folder.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lifecycle/graph.h"
#include "store/local/machine/core.h"
#include "store/local/machine/dependency_walk.h"

namespace baton::store::local {

struct Origin {
  bool chain = false;  // each job AFTER the one before it
  JobId parent = {};   // whose commit makes them, or made what is redriven
  JobId redriven_from = {};
  bool dependencies_met = false;  // they name what they depended on, and do not wait for it
};

class JobMaker {
 public:
  JobMaker(Core& core, const std::vector<std::shared_ptr<const Submission>>& jobs,
           const Origin& origin);

  // Judges everything. Call once.
  void plan();
  // The refused submission with the lowest index.
  std::optional<BatchRefusal> first_refusal() const;
  // Makes what was not refused; one result for each submission, in their order.
  std::vector<Result<MadeJob>> make();

 private:
  static constexpr int kOutside = -1;

  struct Dependency {
    int inside = kOutside;  // a job of this batch, by index
    JobId id;               // else an existing job
  };
  struct Group {
    DependencyType type = DependencyType::kAfter;
    bool allow_failures = false;
    std::vector<Dependency> jobs;
  };
  struct Plan {
    std::shared_ptr<const Submission> spec;
    lifecycle::TermsRef terms;
    Priority priority = Priority::kNormal;
    std::vector<Group> groups;
    int depth = 1;
    std::optional<Key> key;
    Duration key_window{};
    std::optional<Key> unique;
    PayloadHash payload;                 // of a job that has one of these
    std::optional<Dependency> replaces;  // who holds its unique key, and is cancelled for it
    bool replaced = false;               // by a later job of this batch
    bool counts_quota = false;
    std::optional<JobState> ending;  // it ends as soon as it is made
    std::optional<Error> error;
    int same_as = kOutside;               // an earlier job of this batch has the same key
    std::optional<JobId> duplicate;       // an existing job has the same key
    std::optional<bool> payload_differs;  // from that one's
    JobId id;                             // what it became
  };
  // What jobs of this batch that passed already take from an account.
  struct AccountUse {
    std::string_view id;
    Tier tier;
    Balance balance;
    lifecycle::QuotaUse use;
  };

  // What a job has of its queue and its account until it ends.
  struct Holdings {
    const std::string& queue;
    const std::string& account;
    bool counts_quota = false;
    Amount credits = 0;
  };

  const QueueSettings& settings_of(const std::string& queue) const;
  void validate(Plan& plan);
  void bring_up_to_date();
  void bring_key_holder(const Submission& spec);
  void bring_unique_holder(const Submission& spec);
  // The existing job that answers for a key; with `max_age` only if it is younger.
  const KeyHolder* holder_of(const Key& key, std::optional<Duration> max_age) const;
  std::optional<Error> resolve(Plan& plan, std::size_t index);
  Result<Dependency> find_dependency(const std::string& name);
  std::optional<Error> check_lookups() const;
  std::optional<Error> look_up_children(const Plan& plan);
  // The job that is meant: one that this batch makes, or an existing one.
  Dependency resolved(const Dependency& dependency) const;
  void plan_graph();
  std::optional<int> depth_of(const Plan& plan);
  std::optional<Error> check_depth(Plan& plan);
  std::optional<Error> check_cycle(const Plan& plan);
  bool waits_for_refused(const Plan& plan) const;
  void judge(std::size_t index);
  std::optional<Error> check_making(Plan& plan);
  Result<bool> take_existing(Plan& plan);
  void note_key(const Plan& plan, std::size_t index);
  std::optional<Error> check_queue(const Plan& plan);
  bool makes_queue(const Plan& plan) const;
  std::optional<Error> check_account(Plan& plan);
  JobState planned_state(const Dependency& dependency) const;
  lifecycle::Verdict planned_verdict(const Plan& plan) const;
  std::optional<JobState> planned_ending(const Plan& plan) const;
  static Holdings holdings_of(const Plan& plan);
  void give_back(const Holdings& holdings);
  std::int64_t& pending_in(const std::string& queue);
  Result<AccountUse*> use_of(const std::string& account);
  Priority effective_priority(const Plan& plan) const;
  // Uniqueness (plan_unique.cc).
  std::optional<Error> meet_holder(Plan& plan);
  std::optional<Dependency> holder_of_unique(const Key& key) const;
  std::optional<Error> check_replaceable(const Dependency& holder) const;
  PayloadHash payload_of(const Dependency& holder) const;
  Holdings holdings_of(const Dependency& holder) const;
  void free_place(const Holdings& holdings);
  void take_again(const Holdings& holdings);
  void note_unique(Plan& plan, std::size_t index);
  void note_replaced(const Dependency& holder);
  bool is_replaced(const JobId& id) const { return replaced_.contains(id); }
  bool lost_key(const JobId& holder) const;
  void cancel_replaced(const Plan& plan);

  JobId made_id(int index) const;
  JobId made_id(const Dependency& dependency) const;
  std::shared_ptr<const Submission> resolved_spec(const Plan& plan) const;
  Result<MadeJob> make_one(Plan& plan);
  void bring_answers_up_to_date(std::vector<std::optional<Result<MadeJob>>>& made) const;
  lifecycle::Verdict connect(const Plan& plan, SlotIndex slot, Brought& brought);
  void hold_key(const Plan& plan, SlotIndex slot, Brought& brought);
  void hold_unique(const Plan& plan, SlotIndex slot, Brought& brought);
  void reserve(const Plan& plan, SlotIndex slot);

  Core& core_;
  Origin origin_;
  std::vector<Plan> plans_;
  std::vector<int> order_;
  bool exact_depths_ = false;
  DependencyWalk depths_;
  DependencyWalk waits_;
  std::unordered_map<std::string_view, int> refs_;
  std::unordered_map<Key, int, KeyHash> key_holders_;  // who answers for a key, by index
  // Who holds a unique key, by index; kOutside: nobody any more.
  std::unordered_map<Key, int, KeyHash> unique_holders_;
  std::set<JobId> replaced_;  // existing jobs
  std::vector<AccountUse> accounts_;
  std::vector<std::pair<std::string_view, std::int64_t>> pending_;  // by queue
  std::set<std::string_view> new_queues_;  // that jobs which passed make, if they may be too many
};

}  // namespace baton::store::local
