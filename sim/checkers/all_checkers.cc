#include "sim/checkers/list.h"

namespace baton::sim {

Checkers all_checkers() {
  Checkers checkers;
  for (const auto make :
       {make_acknowledged_kept, make_bounded_runs, make_claim_order, make_dependents_not_stuck,
        make_history_is_whole, make_indexes_agree, make_keys_freed_on_time, make_ledger_balances,
        make_limits_hold, make_nothing_invented, make_one_committed, make_one_live_lease,
        make_one_unique_holder, make_only_the_holder, make_payload_identical,
        make_stale_calls_change_nothing, make_terminal_is_final, make_times_respected,
        make_versions_rise}) {
    checkers.push_back(make());
  }
  return checkers;
}

}  // namespace baton::sim
