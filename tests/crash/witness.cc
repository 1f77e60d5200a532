#include "witness.h"

#include <algorithm>
#include <sstream>

#include "blocking.h"
#include "protocol.h"

namespace baton::crash {
using store::JobRecord;

void Witness::hear(const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "submit") {
    std::int64_t number = 0;
    words >> number;
    highest_ = std::max(highest_, number);
    return;
  }
  if (verb == "submitted") {
    std::int64_t number = 0;
    std::string id;
    words >> number >> id;
    ids_[number] = fresh_[number] = parse_job_id(id).value();
    return;
  }
  if (verb == "refused") return;
  std::string text;
  words >> text;
  const ExecutionId execution = parse_execution_id(text).value();
  if (verb == "claimed") return claimed(execution);
  if (verb.ends_with('!')) acknowledged(verb.substr(0, verb.size() - 1), execution);
}

void Witness::claimed(const ExecutionId& execution) {
  if (committed_.contains(execution.job())) {
    complain("a job runs again after its commit was acknowledged: " + to_string(execution));
  }
}

void Witness::acknowledged(const std::string& verb, const ExecutionId& execution) {
  if (verb == "commit" || verb == "ack") {
    const auto [at, first] = committed_.emplace(execution.job(), to_string(execution));
    if (!first && at->second != to_string(execution)) {
      complain("two commits of one job were acknowledged: " + at->second + " and " +
               to_string(execution));
    }
  }
  if (verb == "done" || verb == "ack") completed_.insert(execution.job());
}

void Witness::examine_record(const JobRecord& record) {
  const std::string name = "job " + to_string(record.id) + " ";
  const auto is_committed = [](const store::ExecutionRecord& execution) {
    return execution.facts.status == ExecutionStatus::kCommitted ||
           execution.facts.status == ExecutionStatus::kDone;
  };
  const auto commits =
      std::count_if(record.executions.begin(), record.executions.end(), is_committed);
  if (commits > 1) complain(name + "has " + std::to_string(commits) + " committed executions");
  if (record.facts.state == JobState::kCompleted && commits != 1) {
    complain(name + "is COMPLETED without a commit");
  }
  const auto committed = committed_.find(record.id);
  if (committed != committed_.end()) {
    if (commits != 1) complain(name + "lost its acknowledged commit");
    if (!record.result || record.result->bytes != result_of(committed->second)) {
      complain(name + "lost the result of its acknowledged commit");
    }
  }
  if (completed_.contains(record.id) && record.facts.state != JobState::kCompleted) {
    complain(name + "is not COMPLETED, though that was acknowledged");
  }
}

void Witness::examine_submission(store::Store& store, std::int64_t number, const JobId& id) {
  const auto record = blocking<std::shared_ptr<const JobRecord>>(
      [&](auto done) { store.get(id, std::move(done)); });
  if (!record) return complain("acknowledged job " + to_string(id) + ": " + record.error().message);
  if ((*record)->spec->payload != payload_of(number)) {
    complain("job " + to_string(id) + " has another payload");
  }
  examine_record(**record);
}

// Walks over the whole store: nothing is there that nobody asked for, and all counts agree.
void Witness::examine_all(store::Store& store) {
  std::map<JobState, std::int64_t> counted;
  std::set<std::int64_t> numbers;
  store::ListJobs filter;
  filter.limit = 1000;
  filter.with = store::kAllParts;
  while (true) {
    const auto page =
        blocking<store::JobList>([&](auto done) { store.list(filter, std::move(done)); });
    if (!page) return complain("list: " + page.error().message);
    for (const auto& job : page->jobs) {
      ++counted[job->facts.state];
      examine_record(*job);
      const std::int64_t number = std::atoll(job->spec->idempotency_key->c_str() + 4);
      if (number > highest_) complain("job " + to_string(job->id) + " was never asked for");
      if (!numbers.insert(number).second)
        complain("two jobs with number " + std::to_string(number));
      if (job->spec->payload != payload_of(number)) {
        complain("job " + to_string(job->id) + " has another payload");
      }
    }
    if (page->next_before_number == 0) break;
    filter.before_number = page->next_before_number;
  }
  const auto stats = blocking<Stats>([&](auto done) { store.stats(std::move(done)); });
  if (!stats) return complain("stats: " + stats.error().message);
  for (const Queue& queue : stats->queues) {
    for (std::size_t i = 0; i < queue.counts.size(); ++i) {
      const auto state = static_cast<JobState>(i);
      if (counted[state] == queue.counts[i]) continue;
      complain("the queue counts " + std::to_string(queue.counts[i]) + " " +
               std::string(name(state)) + " jobs, there are " + std::to_string(counted[state]));
    }
  }
}

std::vector<std::string> Witness::examine(store::Store& store, bool everything) {
  for (const auto& [number, id] : everything ? ids_ : fresh_)
    examine_submission(store, number, id);
  fresh_.clear();
  if (everything) examine_all(store);
  return std::move(wrong_);
}

}  // namespace baton::crash
