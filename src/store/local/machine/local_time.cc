#include "store/local/machine/local_time.h"

namespace baton::store::local {
namespace {

// The longest that a store with live jobs may have been closed without a question.
constexpr Duration kLongestAbsence = base::days(30);
// A clock that was adjusted while the store was closed is no news.
constexpr Duration kUnnoticed = base::seconds(1);

std::string days_text(Duration span) {
  return std::to_string(span.ms / base::days(1).ms) + " days";
}

}  // namespace

Status check_clock(const ClockCheck& check) {
  if (check.accepted || check.live_jobs == 0 || !check.last_stored.is_set()) return Ok{};
  const Duration ahead = check.wall - check.last_stored;
  if (ahead <= kLongestAbsence) return Ok{};
  return Error{
      Code::kStoreUnavailable,
      "the clock says " + base::format_time(check.wall) + ", " + days_text(ahead) +
          " after the last change of the store at " + base::format_time(check.last_stored) +
          ", and " + std::to_string(check.live_jobs) +
          " jobs have not ended: their times would be over for good. Set the clock right, or "
          "accept it (--accept-clock)",
      "accept_clock",
      {}};
}

std::string clock_notice(Time wall, Time last_stored) {
  if (!last_stored.is_set() || last_stored - wall < kUnnoticed) return {};
  return "the clock says " + base::format_time(wall) +
         ", which is before the last change of the store: " + "its time goes on from " +
         base::format_time(last_stored);
}

}  // namespace baton::store::local
