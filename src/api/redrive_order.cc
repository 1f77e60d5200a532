#include "api/redrive_order.h"

#include <algorithm>

#include "store/list_page.h"

namespace baton::api {
namespace {

bool may_be_redriven(const store::JobRecord& job, const store::ListJobs& filter) {
  return is_bad_ending(job.facts.state) && job.redriven_to.is_nil() && store::matches(job, filter);
}

}  // namespace

RedriveOrder::RedriveOrder(store::Store& store, store::ListJobs filter, Redrive redrive)
    : store_(store), filter_(std::move(filter)), redrive_(std::move(redrive)) {}

void RedriveOrder::run(std::shared_ptr<const store::JobRecord> job, std::size_t budget, Done done) {
  done_ = std::move(done);
  budget_ = budget;
  examined_ = 0;
  stack_.clear();
  const JobId id = job->id;
  stack_.push_back({id, false, std::move(job)});
  go_on();
}

// A read may be answered before it returns: one step at a time, and none inside another.
void RedriveOrder::go_on() {
  if (steps_.fetch_add(1) != 0) return;
  do {
    step();
  } while (steps_.fetch_sub(1) != 1);
}

// Goes on until something has to be read, or nothing is left.
void RedriveOrder::step() {
  while (!stack_.empty()) {
    Visit& visit = stack_.back();
    if (visit.redrives) {
      redrive_(visit.id);
      stack_.pop_back();
    } else if (visit.record) {
      expand();
    } else if (entered_.contains(visit.id) && (!visit.fans_in || fanned_in_.contains(visit.id))) {
      stack_.pop_back();
    } else if (examined_ == budget_) {
      return finish(false);
    } else {
      return read(visit.id);
    }
  }
  finish(true);
}

void RedriveOrder::read(const JobId& id) {
  ++examined_;
  store_.get(id, [self = shared_from_this()](
                     const Result<std::shared_ptr<const store::JobRecord>>& record) {
    // One that is gone, or cannot be read, is none that could be redriven.
    if (record) {
      self->stack_.back().record = *record;
    } else {
      self->stack_.pop_back();
    }
    self->go_on();
  });
}

// What comes before the topmost job takes its place above it.
void RedriveOrder::expand() {
  Visit visit = std::move(stack_.back());
  stack_.pop_back();
  const store::JobRecord& record = *visit.record;
  std::vector<Visit> before;
  if (visit.fans_in && fanned_in_.insert(visit.id).second) {
    for (const JobId& child : record.children)
      before.push_back({child});
  }
  const bool redrives = entered_.insert(visit.id).second && may_be_redriven(record, filter_);
  if (redrives) {
    stack_.push_back({visit.id, false, nullptr, true});
    if (!store::has_left_pending(record)) {
      for (const Dependency& group : record.spec->depends_on) {
        for (const std::string& name : group.jobs) {
          before.push_back(
              {parse_job_id(name).value_or(JobId{}), group.type == DependencyType::kFanIn});
        }
      }
    }
  }
  stack_.insert(stack_.end(), std::make_move_iterator(before.rbegin()),
                std::make_move_iterator(before.rend()));
}

void RedriveOrder::finish(bool whole) {
  for (const Visit& left : stack_) {
    if (left.redrives) entered_.erase(left.id);
  }
  stack_.clear();
  const Done done = std::exchange(done_, nullptr);
  done(examined_, whole);
}

}  // namespace baton::api
