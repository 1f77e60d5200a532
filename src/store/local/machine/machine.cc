#include "store/local/machine/machine.h"

#include <map>
#include <utility>

#include "base/assert.h"
#include "store/local/commands/handlers.h"
#include "store/local/machine/core.h"

namespace baton::store::local {

namespace {

// One list of commands on its way through a turn. A call is named by the places of its command and
// of itself within that.
class CommandList {
 public:
  CommandList(Core& core, const std::vector<Command>& commands)
      : core_(core), commands_(commands) {}

  // Calls that came before a timer of their job fell due are not to lose to it.
  void apply_overtaken() {
    if (!core_.may_be_due()) return;
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      if (const auto* call = std::get_if<WorkCall>(&commands_[i])) {
        apply_overtaken(*call, {i, 0});
      } else if (const auto* batch = std::get_if<WorkBatch>(&commands_[i])) {
        for (std::size_t k = 0; k < batch->calls.size(); ++k)
          apply_overtaken(batch->calls[k], {i, k});
      }
    }
  }

  // Everything else, in its order.
  void apply_rest(std::vector<Answer>& answers) {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      const Reads before = core_.archive().reads();
      core_.begin_command();
      answers.push_back(
          std::visit([&](const auto& command) { return apply(command, i); }, commands_[i]));
      if (core_.read_watcher) core_.read_watcher(commands_[i], core_.archive().reads() - before);
      core_.settle_dependents();
    }
  }

 private:
  using Place = std::pair<std::size_t, std::size_t>;

  void apply_overtaken(const WorkCall& call, const Place& place) {
    if (!core_.fell_due_since(call.execution.job(), arrival_of(call, core_.now()))) return;
    overtaken_.emplace(place, handle(core_, call));
    core_.settle_dependents();
  }

  Answer answer_of(const WorkCall& call, const Place& place) {
    const auto found = overtaken_.find(place);
    return found == overtaken_.end() ? handle(core_, call) : std::move(found->second);
  }

  Answer apply(const WorkCall& call, std::size_t at) { return answer_of(call, {at, 0}); }
  Answer apply(const WorkBatch& batch, std::size_t at) {
    WorkBatchAnswer all;
    all.results.reserve(batch.calls.size());
    for (std::size_t k = 0; k < batch.calls.size(); ++k) {
      Answer one = answer_of(batch.calls[k], {at, k});
      if (auto* error = std::get_if<Error>(&one)) {
        all.results.emplace_back(std::move(*error));
      } else {
        all.results.emplace_back(std::get<CallAnswer>(std::move(one)));
      }
      core_.settle_dependents();
    }
    return all;
  }
  template <class Other>
  Answer apply(const Other& command, std::size_t) {
    return handle(core_, command);
  }

  Core& core_;
  const std::vector<Command>& commands_;
  std::map<Place, Answer> overtaken_;
};

}  // namespace

struct Machine::State {
  State(const Archive& archive, const Tuning& tuning, TermsTable* terms)
      : core(archive, tuning, terms != nullptr ? *terms : own_terms) {}
  TermsTable own_terms;
  Core core;
};

Machine::Machine(const Archive& archive, const Tuning& tuning, TermsTable* terms)
    : state_(std::make_unique<State>(archive, tuning, terms)) {}
Machine::~Machine() = default;

Turn Machine::turn(const std::vector<Command>& commands, Time now, base::Random& random,
                   const More& more, Time lease_horizon, Background background) {
  Turn turn;
  turn.answers.reserve(commands.size());
  turn.changes.reserve(commands.size());
  Core& core = state_->core;
  BATON_ASSERT(!core.is_reopening());
  core.begin(now, random, turn, lease_horizon, background);
  CommandList list(core, commands);
  list.apply_overtaken();
  core.fire_timers();
  list.apply_rest(turn.answers);
  if (more) {
    const std::vector<Command> added = more(turn.happenings);
    CommandList(core, added).apply_rest(turn.answers);
  }
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

bool Machine::is_reopening() const { return state_->core.is_reopening(); }

void Machine::watch_reads(ReadWatcher watcher) { state_->core.read_watcher = std::move(watcher); }

Time Machine::next_due() const { return state_->core.next_due(); }

bool Machine::has_work_left() const { return state_->core.has_work_left(); }

bool Machine::is_collecting() const { return state_->core.is_collecting(); }

Time Machine::first_held() const { return state_->core.first_held(); }

std::vector<std::string> Machine::audit() const { return state_->core.audit(); }

std::int64_t Machine::live_jobs() const { return state_->core.live(); }

std::size_t Machine::accounts_in_memory() const { return state_->core.accounts.size(); }

Machine::Sizes Machine::sizes() const {
  const Core& core = state_->core;
  return {core.queues.size(), core.types.size(), core.lanes.lanes()};
}

}  // namespace baton::store::local
