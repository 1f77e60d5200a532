#include "store/local/machine.h"

#include "store/local/core.h"
#include "store/local/handlers.h"

namespace baton::store::local {

struct Machine::State {
  State(const Archive& archive, const Tuning& tuning) : core(archive, tuning) {}
  Core core;
};

Machine::Machine(const Archive& archive, const Tuning& tuning)
    : state_(std::make_unique<State>(archive, tuning)) {}
Machine::~Machine() = default;

Turn Machine::turn(const std::vector<Command>& commands, Time now, base::Random& random,
                   const More& more) {
  Turn turn;
  turn.answers.reserve(commands.size());
  turn.changes.reserve(commands.size());
  Core& core = state_->core;
  core.begin(now, random, turn);
  const auto apply = [&](const std::vector<Command>& all) {
    for (const Command& command : all) {
      turn.answers.push_back(answer(core, command));
      core.settle_dependents();
    }
  };
  apply(commands);
  if (more) apply(more(turn.happenings));
  return turn;
}

void Machine::begin_loading(Time now, std::int64_t last_number) {
  state_->core.begin_loading(now, last_number);
}
void Machine::load(const StoredQueue& queue) { state_->core.load(queue); }
void Machine::load(const StoredAccount& account) { state_->core.load(account); }
void Machine::load(const LiveJob& job) { state_->core.load(job); }
void Machine::load(const StoredKey& key) { state_->core.load(key); }

void Machine::finish_loading() { state_->core.finish_loading(); }

Turn Machine::reopen(Time now, base::Random& random) {
  Turn turn;
  state_->core.reopen(now, random, turn);
  return turn;
}

void Machine::watch_reads(ReadWatcher watcher) {
  state_->core.read_watcher = std::move(watcher);
}

Time Machine::next_due() const { return state_->core.next_due(); }

std::vector<std::string> Machine::audit() const { return state_->core.audit(); }

std::int64_t Machine::live_jobs() const { return state_->core.live(); }

}  // namespace baton::store::local
