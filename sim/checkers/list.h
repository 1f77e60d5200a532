// The makers of the checkers, one for each file of this folder.
#pragma once

#include <memory>

#include "sim/checkers/checker.h"

namespace baton::sim {

std::unique_ptr<Checker> make_acknowledged_kept();
std::unique_ptr<Checker> make_bounded_runs();
std::unique_ptr<Checker> make_claim_order();
std::unique_ptr<Checker> make_dependents_not_stuck();
std::unique_ptr<Checker> make_history_is_whole();
std::unique_ptr<Checker> make_indexes_agree();
std::unique_ptr<Checker> make_keys_freed_on_time();
std::unique_ptr<Checker> make_ledger_balances();
std::unique_ptr<Checker> make_limits_hold();
std::unique_ptr<Checker> make_nothing_invented();
std::unique_ptr<Checker> make_one_committed();
std::unique_ptr<Checker> make_one_live_lease();
std::unique_ptr<Checker> make_one_unique_holder();
std::unique_ptr<Checker> make_only_the_holder();
std::unique_ptr<Checker> make_payload_identical();
std::unique_ptr<Checker> make_stale_calls_change_nothing();
std::unique_ptr<Checker> make_terminal_is_final();
std::unique_ptr<Checker> make_times_respected();
std::unique_ptr<Checker> make_versions_rise();

}  // namespace baton::sim
