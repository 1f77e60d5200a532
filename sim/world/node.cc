#include "sim/world/node.h"

#include <algorithm>

#include "base/assert.h"

namespace baton::sim {
namespace {

using namespace store::local;  // NOLINT(google-build-using-namespace)

bool must_last(const RowChange& change) {
  const auto* job = std::get_if<JobChange>(&change);
  return job == nullptr || job->durable;
}

}  // namespace

Node::Node(DiskStore* store, const Tuning& tuning) : store_(store), tuning_(tuning) {
  if (store == nullptr) machine_ = std::make_unique<Machine>(rows_, tuning_);
}

// ---- Turns --------------------------------------------------------------------------------------

Turn Node::decide(const std::vector<Command>& commands, Time now, base::Random& random,
                  Time lease_horizon, Background background) {
  Turn turn = machine_->turn(commands, now, random, {}, lease_horizon, background);
  look();
  return turn;
}

Turn Node::decide_reopening(Time now, base::Random& random) {
  Turn turn = machine_->reopen(now, random);
  look();
  return turn;
}

void Node::look() {
  next_due_ = machine_->next_due();
  live_jobs_ = machine_->live_jobs();
  work_left_ = machine_->has_work_left();
  collecting_ = machine_->is_collecting();
  reopening_ = machine_->is_reopening();
}

Status Node::keep(Time now, const Turn& turn) {
  if (store_ != nullptr) {
    std::vector<RowChange> changes;
    for (const RowChange& change : turn.changes)
      changes.push_back(copy_of(change));
    if (const auto kept = store_->data().keep(now, std::move(changes)); !kept) return kept.error();
  }
  if (!turn.changes.empty()) accept(turn);
  return Ok{};
}

void Node::accept(const Turn& turn) {
  ++acknowledged_;
  if (std::any_of(turn.changes.begin(), turn.changes.end(), must_last)) {
    durable_ = acknowledged_;
    forgettable_.clear();
  } else {
    forgettable_.push_back(leases_before(acknowledged_, turn));
  }
  for (const RowChange& change : turn.changes) {
    const auto* job = std::get_if<JobChange>(&change);
    if (job != nullptr && job->facts.completed_at.is_set()) ended_in_[job->id] = acknowledged_;
  }
  rows_.apply(turn.changes);
  if (store_ != nullptr) earlier_rows_.add(acknowledged_, turn.changes, durable_);
}

std::set<JobId> Node::not_listed() const {
  std::set<JobId> jobs;
  if (store_ == nullptr) return jobs;
  const std::uint64_t applied = store_->data().applied_turn();
  for (const auto& [id, turn] : ended_in_) {
    if (turn > applied) jobs.insert(id);
  }
  return jobs;
}

// ---- On a disk ----------------------------------------------------------------------------------

void Node::die() {
  machine_.reset();
  store_->close();
}

Status Node::load(Time now) {
  ended_in_.clear();
  machine_ = std::make_unique<Machine>(store_->data(), tuning_, &store_->data().terms());
  return store_->data().load(*machine_, now);
}

Node::Heartbeats Node::leases_before(std::uint64_t number, const Turn& turn) const {
  Heartbeats heartbeats{number, {}};
  for (const RowChange& change : turn.changes) {
    const JobId& id = std::get<JobChange>(change).id;
    heartbeats.leases.emplace(id, rows_.find(id)->facts.execution.lease_expires_at);
  }
  return heartbeats;
}

void Node::forget_after(std::uint64_t turn) {
  BATON_ASSERT(turn >= durable_);
  while (!forgettable_.empty() && forgettable_.back().turn > turn) {
    std::vector<RowChange> back;
    for (const auto& [id, lease] : forgettable_.back().leases) {
      const StoredJob& job = rows_.stored(id);
      JobChange change;
      change.id = id;
      change.number = job.record.number;
      change.facts = job.record.facts;
      change.facts.execution.lease_expires_at = lease;
      change.execution_changed = true;
      change.ready = job.ready;
      back.emplace_back(std::move(change));
    }
    rows_.apply(back);
    forgettable_.pop_back();
  }
  // What is there after a start is there for good.
  forgettable_.clear();
  earlier_rows_.forget_after(turn);
  acknowledged_ = turn;
  durable_ = turn;
}

}  // namespace baton::sim
