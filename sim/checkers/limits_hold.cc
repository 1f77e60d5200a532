#include <algorithm>
#include <map>
#include <vector>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"
#include "sim/model/rules.h"

namespace baton::sim {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

std::size_t quota_of(Tier tier) {
  switch (tier) {
    case Tier::kGuest:
      return 5;
    case Tier::kUser:
      return 50;
    case Tier::kPro:
      return 500;
  }
  return 0;
}

bool waits(JobState state) {
  return state == JobState::kCreated || state == JobState::kPending ||
         state == JobState::kDelayed || state == JobState::kScheduled ||
         state == JobState::kRetrying;
}

// max_running, max_pending, rate and quota, each counted by walking through the changes.
class LimitsHold final : public Checker {
 public:
  std::string_view name() const override { return "limits are never exceeded"; }

  void each_step(const StepView& step, Findings& findings) override {
    if (step.reopens) fill_rates(step.now);
    for (const store::local::RowChange& change : step.turn.changes) {
      if (const auto* queue = std::get_if<store::local::QueueChange>(&change)) {
        set(*queue, step.now);
      } else if (const auto* gone = std::get_if<store::local::QueueGone>(&change)) {
        queues_.erase(gone->name);
      } else if (const auto* account = std::get_if<store::local::AccountChange>(&change)) {
        accounts_[account->account.id].tier = account->account.tier;
      } else if (const auto* job = std::get_if<JobChange>(&change)) {
        take(*job, step.now, findings);
      }
    }
  }

 private:
  struct Queue {
    QueueSettings settings;
    std::int64_t running = 0;
    std::int64_t waiting = 0;
    double tokens = 0;
    Time refilled_at;
  };
  struct Account {
    Tier tier = Tier::kGuest;
    std::size_t active = 0;
    std::vector<Time> submissions;
  };
  struct Job {
    std::string queue;
    std::string account;  // empty: no quota counts it
    JobState state = JobState::kNone;
  };

  // How much of a rate is used up is not kept.
  void fill_rates(Time now) {
    for (auto& [name, queue] : queues_) {
      if (!queue.settings.rate) continue;
      queue.tokens = queue.settings.rate->burst;
      queue.refilled_at = now;
    }
  }

  void set(const store::local::QueueChange& change, Time now) {
    Queue& queue = queues_[change.name];
    const bool new_rate = queue.settings.rate != change.settings.rate;
    queue.settings = change.settings;
    if (!new_rate || !queue.settings.rate) return;
    queue.tokens = queue.settings.rate->burst;
    queue.refilled_at = now;
  }

  void take(const JobChange& change, Time now, Findings& findings) {
    Job& job = jobs_[change.id];
    if (change.made) admit(job, change, now, findings);
    const bool claimed = std::any_of(change.history.begin(), change.history.end(),
                                     [](auto& entry) { return entry.to == JobState::kRunning; });
    Queue& queue = queues_[job.queue];
    count(queue, job.state, -1);
    job.state = change.facts.state;
    count(queue, job.state, +1);
    if (claimed) check_claim(queue, job, now, findings);
    const bool ended = change.facts.completed_at.is_set();
    if (ended && !job.account.empty()) --accounts_[job.account].active;
  }

  static void count(Queue& queue, JobState state, std::int64_t by) {
    if (state == JobState::kRunning) queue.running += by;
    if (waits(state)) queue.waiting += by;
  }

  void admit(Job& job, const JobChange& change, Time now, Findings& findings) {
    job.queue = change.made->queue;
    const Queue& queue = queues_[job.queue];
    const auto& most = queue.settings.max_pending;
    if (most && queue.waiting >= *most) {
      findings.add(name(), "queue " + job.queue + " had " + std::to_string(queue.waiting) +
                               " waiting jobs and took another one");
    }
    if (queue.settings.draining) {
      findings.add(name(), "queue " + job.queue + " drains and took a job");
    }
    const bool counted = rules_of(queue.settings.profile).quota;
    if (change.made->account.empty() || !counted) return;
    job.account = change.made->account;
    Account& account = accounts_[job.account];
    std::erase_if(account.submissions, [&](Time at) { return now.ms >= at.ms + kHourMs; });
    const std::size_t limit = quota_of(account.tier);
    if (account.active >= limit || account.submissions.size() >= limit) {
      findings.add(name(), "account " + job.account + " had " + std::to_string(account.active) +
                               " active jobs and " + std::to_string(account.submissions.size()) +
                               " submissions in the hour and was given another one");
    }
    ++account.active;
    account.submissions.push_back(now);
  }

  void check_claim(Queue& queue, const Job& job, Time now, Findings& findings) const {
    const auto& most = queue.settings.max_running;
    if (most && queue.running > *most) {
      findings.add(name(), "queue " + job.queue + " runs " + std::to_string(queue.running) +
                               " jobs of " + std::to_string(*most));
    }
    if (queue.settings.paused) findings.add(name(), "queue " + job.queue + " is paused");
    if (!queue.settings.rate) return;
    const double gained =
        static_cast<double>((now - queue.refilled_at).ms) * queue.settings.rate->per_second / 1000;
    queue.tokens = std::min<double>(queue.settings.rate->burst, queue.tokens + gained);
    queue.refilled_at = now;
    queue.tokens -= 1;
    if (queue.tokens < -1e-6) {
      findings.add(name(), "queue " + job.queue + " starts more jobs than its rate allows");
    }
  }

  std::map<std::string, Queue> queues_;
  std::map<std::string, Account> accounts_;
  std::map<JobId, Job> jobs_;
};

}  // namespace

std::unique_ptr<Checker> make_limits_hold() { return std::make_unique<LimitsHold>(); }

}  // namespace baton::sim
