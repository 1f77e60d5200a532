// The file store takes on again, with everything done in the smallest pieces, what its catalog and
// its projector have a part in: turns of few commands, a projector that is always behind, a
// write-ahead log that is soon too large, ids that are merged all the time. No answer may differ.
// Timers, dependents and pruning keep their numbers: these tests look after one turn.
#include "file_subject.h"

namespace baton::store::conformance {
namespace {

local::Tuning small_pieces() {
  local::Tuning tuning;
  tuning.commands_per_turn = 3;
  tuning.command_bytes_per_turn = 1'000;
  tuning.keys_per_turn = 1;
  tuning.project_at_once = 3;
  tuning.project_now = 2;
  tuning.project_bytes = 1'000;
  tuning.most_unprojected = 8;
  tuning.most_unprojected_bytes = 10'000;
  tuning.wal_bytes = 64 << 10;
  tuning.ids_least_behind = 2;
  tuning.terms_per_turn = 1;
  tuning.shared_terms = 2;
  tuning.remembered = 2;
  return tuning;
}

SubjectFactory small_pieces_subject() {
  return {"file", [] { return std::make_unique<FileSubject>(small_pieces()); }};
}

}  // namespace

BATON_CONFORMANCE_SUITE(SmallPieces, Idempotency, small_pieces_subject());
BATON_CONFORMANCE_SUITE(SmallPieces, Queries, small_pieces_subject());
BATON_CONFORMANCE_SUITE(SmallPieces, ListPages, small_pieces_subject());
BATON_CONFORMANCE_SUITE(SmallPieces, Retention, small_pieces_subject());
BATON_CONFORMANCE_SUITE(SmallPieces, Together, small_pieces_subject());
BATON_CONFORMANCE_SUITE(SmallPieces, Recovery, small_pieces_subject());
BATON_CONFORMANCE_SUITE(SmallPieces, LeaseRecovery, small_pieces_subject());

}  // namespace baton::store::conformance
