// Builds submissions: Spec("mail").queue("post").delay(seconds(5)). Whatever is not said is as a
// client would leave it. For the conformance suite only; one thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/record.h"

namespace baton::store::conformance {

// How a dependency names a job: by its id, or "#ref" within a batch.
struct JobName {
  JobName(const JobId& id) : text(to_string(id)) {}
  JobName(const char* name) : text(name) {}
  JobName(std::string name) : text(std::move(name)) {}

  std::string text;
};
using JobNames = std::vector<JobName>;

inline JobNames names_of(const std::vector<JobId>& ids) { return {ids.begin(), ids.end()}; }

class Spec {
 public:
  explicit Spec(std::string type = "work") { made_.type = std::move(type); }

  Spec& queue(std::string name) { return set(made_.queue, std::move(name)); }
  Spec& payload(std::string bytes) { return set(made_.payload, std::move(bytes)); }
  Spec& content_type(std::string type) { return set(made_.content_type, std::move(type)); }
  Spec& priority(Priority priority) { return set(made_.priority, priority); }
  Spec& delay(Duration delay) { return set(made_.delay, delay); }
  Spec& run_at(Time time) { return set(made_.run_at, time); }
  Spec& key(std::string key) { return set(made_.idempotency_key, std::move(key)); }
  Spec& auto_key() { return set(made_.idempotency, Idempotency::kAuto); }
  Spec& no_key() { return set(made_.idempotency, Idempotency::kNone); }
  Spec& unique(std::string key, OnConflict on_conflict = OnConflict::kExisting) {
    return set(made_.unique, Unique{.key = std::move(key), .on_conflict = on_conflict});
  }
  // As `unique`, only until the first claim.
  Spec& unique_waiting(std::string key, OnConflict on_conflict = OnConflict::kExisting) {
    return set(made_.unique, Unique{std::move(key), UniqueWhile::kWaiting, on_conflict});
  }
  Spec& draft() { return set(made_.draft, true); }
  Spec& ref(std::string ref) { return set(made_.ref, std::move(ref)); }

  Spec& attempts(int max) { return set(made_.retry.max_attempts, max); }
  Spec& strategy(Strategy strategy) { return set(made_.retry.strategy, strategy); }
  Spec& initial(Duration delay) { return set(made_.retry.initial, delay); }
  Spec& multiplier(double by) { return set(made_.retry.multiplier, by); }
  Spec& max_delay(Duration delay) { return set(made_.retry.max, delay); }
  Spec& jitter(Jitter jitter) { return set(made_.retry.jitter, jitter); }
  Spec& table(std::vector<Duration> delays) {
    made_.retry.strategy = Strategy::kTable;
    return set(made_.retry.table, std::move(delays));
  }
  Spec& constant(Duration delay) {
    made_.retry.strategy = Strategy::kConstant;
    return set(made_.retry.initial, delay);
  }

  Spec& execution(Duration limit) { return set(made_.timeouts.execution, limit); }
  Spec& lease(Duration lease) { return set(made_.timeouts.lease, lease); }
  Spec& lifetime(Duration lifetime) { return set(made_.timeouts.lifetime, lifetime); }
  Spec& timeout_is(FailureIs what) { return set(made_.timeout_is, what); }
  Spec& system_is(FailureIs what) { return set(made_.system_is, what); }

  Spec& after(const JobNames& jobs) { return depend(DependencyType::kAfter, jobs); }
  Spec& after_any(const JobNames& jobs) { return depend(DependencyType::kAfterAny, jobs); }
  Spec& fan_in(const JobNames& jobs) { return depend(DependencyType::kFanIn, jobs); }
  Spec& fan_in_whatever_happens(const JobNames& jobs) {
    depend(DependencyType::kFanIn, jobs);
    return set(made_.depends_on.back().allow_failures, true);
  }

  Spec& tag(std::string key, std::string value) {
    made_.tags.emplace_back(std::move(key), std::move(value));
    return *this;
  }
  Spec& correlation(std::string id) { return set(made_.correlation_id, std::move(id)); }
  Spec& callback(std::string url) { return set(made_.callback_url, std::move(url)); }
  Spec& traceparent(std::string text) { return set(made_.traceparent, std::move(text)); }
  Spec& account(std::string id) { return set(made_.account, std::move(id)); }
  Spec& cost(Amount cost) { return set(made_.cost, cost); }

  const Submission& submission() const { return made_; }
  std::shared_ptr<const Submission> share() const { return std::make_shared<Submission>(made_); }

 private:
  template <class Member, class Value>
  Spec& set(Member& member, Value value) {
    member = std::move(value);
    return *this;
  }
  Spec& depend(DependencyType type, const JobNames& jobs) {
    Dependency& entry = made_.depends_on.emplace_back();
    entry.type = type;
    for (const JobName& job : jobs)
      entry.jobs.push_back(job.text);
    return *this;
  }

  Submission made_;
};

inline std::vector<std::shared_ptr<const Submission>> share(const std::vector<Spec>& specs) {
  std::vector<std::shared_ptr<const Submission>> shared;
  shared.reserve(specs.size());
  for (const Spec& spec : specs)
    shared.push_back(spec.share());
  return shared;
}

// `count` copies.
inline std::vector<Spec> times(std::size_t count, const Spec& spec) {
  return std::vector<Spec>(count, spec);
}

}  // namespace baton::store::conformance
