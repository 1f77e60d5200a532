// The sizes at which a local store cuts its work into pieces, waits, or tidies up. They change no
// answer, except those under "Refusals" and how far one Prune gets, only how much is done in one
// go; tests and the simulator make them small to reach every edge with few jobs. Plain values,
// fixed while a store is open.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace baton::store::local {

struct Tuning {
  // ---- One turn of the Machine ----------------------------------------------------------------
  std::size_t timers_per_turn = 1'000;         // jobs whose due timers apply
  std::size_t timers_moved_per_turn = 16'384;  // from the wheel to those that are to be applied
  // Taken up to be applied, of which most may concern jobs that have moved on.
  std::size_t timers_taken_per_turn = 16'384;
  // Jobs that are told of an ending, and children that are counted for it.
  std::size_t dependents_per_turn = 1'000;
  std::size_t leases_per_turn = 1'000;    // that get a full term when a store opens
  std::size_t commands_per_turn = 2'048;  // the rest waits for the next turn
  std::size_t command_bytes_per_turn = std::size_t{8} << 20;
  std::size_t keys_per_turn = 64;      // expired idempotency keys that are forgotten
  std::size_t terms_per_turn = 64;     // looked at: are they used any more?
  std::size_t rows_per_prune = 1'000;  // that are looked at and spared, beside the limit
  std::size_t accounts_kept = 10'000;  // in memory, of those without live jobs too
  // Timers that fire later than this were held up: calls that are found then count as having
  // arrived before.
  Duration late = base::milliseconds(50);

  // ---- Refusals -------------------------------------------------------------------------------
  std::size_t most_queues = 1'000'000;    // whatever would make one more is a conflict
  std::size_t rows_per_command = 10'000;  // of ended jobs that a submission may depend on

  // ---- Projector ------------------------------------------------------------------------------
  std::size_t project_at_once = 65'536;  // changes in one transaction, about
  std::size_t project_now = 49'152;      // changes that wait no longer for more
  // Bytes in one transaction, about; as many wait no longer for more.
  std::size_t project_bytes = std::size_t{64} << 20;
  // Changes; above it new turns wait. From half of it on, what happens by itself gives way.
  std::size_t most_unprojected = 200'000;
  std::size_t most_unprojected_bytes = std::size_t{256} << 20;  // likewise

  // ---- Catalog --------------------------------------------------------------------------------
  std::int64_t wal_bytes = std::int64_t{64} << 20;        // a larger WAL is brought back
  std::int64_t ids_least_behind = std::int64_t{1} << 15;  // jobs that a slice of ids may lack
  std::int64_t shared_terms = 4'096;  // rows of terms; other terms stand with each of their jobs
  std::size_t remembered = 4'096;     // kinds, and terms, that a connection does not look up again
};

}  // namespace baton::store::local
