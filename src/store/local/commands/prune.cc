// Deleting jobs whose retention is over. Ended jobs are walked through in their order, standing by
// standing, and the walk goes on where the last call left it: a call looks at no more jobs than it
// may delete and a few more, however many are spared because their keys still hold.
#include <algorithm>
#include <iterator>

#include "store/local/commands/handlers.h"

namespace baton::store::local {
namespace {

constexpr std::size_t kStandingsAtOnce = 64;
constexpr std::size_t kJobsAtOnce = 128;

class Pruning {
 public:
  Pruning(Core& core, std::int64_t limit)
      : core_(core),
        place_(core.prune_place),
        limit_(limit),
        rows_left_(limit + static_cast<std::int64_t>(core.tuning().rows_per_prune)) {}

  Result<Pruned> run();

 private:
  bool is_over() const { return deleted_ == limit_ || rows_left_ <= 0; }
  // Whether the walk has gone once around: it is past the place where it began, again.
  bool is_around() const {
    const Standing& at = place_.standing;
    return wrapped_ && std::pair(at.kind, at.state) > std::pair(start_.kind, start_.state);
  }
  Result<Pruned> after_error(const Error& error);
  Status next_standing();
  Status prune_standing();
  void visit(const EndedJob& job);

  Core& core_;
  PrunePlace& place_;
  Standing start_ = place_.standing;
  std::int64_t limit_;
  std::int64_t rows_left_;
  std::int64_t deleted_ = 0;
  bool wrapped_ = false;
  bool done_ = false;
  std::vector<Standing> standings_;  // the next ones, last first
};

Result<Pruned> Pruning::run() {
  while (!is_over()) {
    if (place_.within) {
      if (const auto pruned = prune_standing(); !pruned) return after_error(pruned.error());
      continue;
    }
    if (const auto next = next_standing(); !next) return after_error(next.error());
    if (done_) {
      place_ = {};
      return Pruned{deleted_, false};
    }
  }
  // Once it has been at the end, every job was looked at since the beginning.
  return Pruned{deleted_, deleted_ == limit_ || !wrapped_};
}

// What was deleted is deleted: the next call meets the error again. A damaged standing is left
// behind, so that the others are not spared for ever.
Result<Pruned> Pruning::after_error(const Error& error) {
  if (deleted_ > 0) return Pruned{deleted_, true};
  if (error.code == Code::kDamaged) place_.within = false;
  return error;
}

// Goes to the next standing with ended jobs. At the end of them it begins anew, once.
Status Pruning::next_standing() {
  while (!is_over()) {
    if (standings_.empty()) {
      auto next = core_.archive().standings(place_.standing, kStandingsAtOnce);
      if (!next) return next.error();
      if (next->empty()) {
        done_ = wrapped_ || start_.kind == 0;
        if (done_) return Ok{};
        wrapped_ = true;
        place_ = {};
        continue;
      }
      standings_.assign(std::make_move_iterator(next->rbegin()),
                        std::make_move_iterator(next->rend()));
    }
    place_.standing = std::move(standings_.back());
    standings_.pop_back();
    --rows_left_;
    place_.after = {};
    place_.within = place_.standing.count > 0 && is_terminal(place_.standing.state);
    done_ = is_around();
    if (place_.within || done_) return Ok{};
  }
  return Ok{};
}

Status Pruning::prune_standing() {
  const std::uint32_t index = core_.queues.find(place_.standing.queue);
  if (index == kNoName) {
    place_.within = false;
    return Ok{};
  }
  const QueueSettings& settings = core_.queues[index].settings();
  const bool completed = place_.standing.state == JobState::kCompleted;
  const Duration keep = completed ? settings.keep_completed : settings.keep_failed;
  const Time until{core_.now().ms - keep.ms};
  const auto wanted = std::min<std::size_t>(kJobsAtOnce, static_cast<std::size_t>(rows_left_));
  const auto jobs = core_.archive().ended(place_.standing, place_.after, until, wanted);
  if (!jobs) return jobs.error();
  for (const EndedJob& job : *jobs) {
    if (is_over()) return Ok{};
    --rows_left_;
    visit(job);
    place_.after = job;
  }
  if (jobs->size() < wanted) place_.within = false;
  return Ok{};
}

void Pruning::visit(const EndedJob& job) {
  const bool spared = job.key && core_.now() < job.key->expires_at;
  if (spared || job.gone || core_.is_gone(job.id) || core_.is_untold(job.id)) return;
  ArchivedJob archived{job.id, job.number, {}, place_.standing.queue, job.key};
  archived.facts.state = place_.standing.state;
  core_.forget({kNoSlot, core_.now(), archived.facts, &archived}, job.id);
  ++deleted_;
}

}  // namespace

Answer handle(Core& core, const Prune& command) {
  if (command.limit < 1) {
    return Error{Code::kBadRequest, "limit must be at least 1", "limit", {}};
  }
  auto pruned = Pruning(core, command.limit).run();
  if (!pruned) return pruned.error();
  return *pruned;
}

}  // namespace baton::store::local
