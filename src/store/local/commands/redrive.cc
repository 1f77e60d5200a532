// A new job from one that ended badly, once, with its dependencies as they stand now.
#include <algorithm>
#include <memory>

#include "store/local/commands/handlers.h"
#include "store/local/commands/job_maker.h"

namespace baton::store::local {
namespace {

Error conflict(std::string message) { return {Code::kConflict, std::move(message), {}, {}}; }

// The copy that a redrive submits: without key, delay or draft.
std::shared_ptr<Submission> copy_of(const JobRecord& record) {
  auto copy = std::make_shared<Submission>(*record.spec);
  copy->idempotency_key.reset();
  copy->idempotency = Idempotency::kNone;
  copy->delay.reset();
  copy->run_at.reset();
  copy->draft = false;
  copy->priority = record.facts.priority;
  copy->tags = record.labels.tags;
  copy->correlation_id = record.labels.correlation_id;
  copy->callback_url = record.labels.callback_url;
  return copy;
}

// Of each group, every job that ended badly gives way to its newest copy.
std::optional<Error> follow_copies(Core& core, std::vector<Dependency>& groups) {
  for (Dependency& group : groups) {
    std::vector<std::string> newest;
    for (const std::string& name : group.jobs) {
      if (core.lookups() >= core.tuning().rows_per_command) {
        return Error{Code::kDependencyTooWide,
                     "too many copies stand for its dependencies",
                     "depends_on",
                     {}};
      }
      const auto copy = core.newest_copy(parse_job_id(name).value_or(JobId{}));
      if (!copy) return copy.error();
      const auto state = core.state_of(*copy);
      if (!state) return state.error();
      std::string id = to_string(*copy);
      if (*state == JobState::kNone) return dependency_gone(*copy);
      const bool known = std::find(newest.begin(), newest.end(), id) != newest.end();
      if (!known) newest.push_back(std::move(id));
    }
    group.jobs = std::move(newest);
  }
  return std::nullopt;
}

}  // namespace

Error dependency_gone(const JobId& id) {
  return conflict("job " + to_string(id) + ", on which it depends, is gone");
}

Answer handle(Core& core, const RedriveJob& command) {
  const auto job = core.find(command.id);
  if (!job) return job.error();
  const lifecycle::Redrive event{job->redriven_to, command.again};
  const auto allowed = lifecycle::decide(job->facts, event, core.now(), core.random(), job->as_of);
  if (!allowed) return allowed.error();
  const auto found = core.record(command.id);
  if (!found) return found.error();
  const JobRecord& record = **found;
  // What they wait for was fixed when the parent ended: no copy comes in between.
  if (core.is_ended_and_awaited(record.parent)) {
    return conflict("jobs that wait for its parent have still to be told of its end");
  }
  const auto copy = copy_of(record);
  Origin origin{.parent = record.parent, .redriven_from = command.id};
  if (command.drop_dependencies) {
    copy->depends_on.clear();
  } else if (has_left_pending(record)) {
    origin.dependencies_met = true;
  } else if (auto refused = follow_copies(core, copy->depends_on)) {
    return *refused;
  }
  JobMaker maker(core, {copy}, origin);
  maker.plan();
  if (const auto refused = maker.first_refusal()) return refused->error;
  const auto made = maker.make();
  if (!made.front()) return made.front().error();
  core.note_redrive(*job, command.id, made.front()->id);
  return JobAnswer{made.front()->id, made.front()->facts};
}

}  // namespace baton::store::local
