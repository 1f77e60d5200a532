// How fast jobs come and go, by queue: counts of the last minute, and how long jobs waited and ran.
// Times are kept in classes an eighth apart, so that a percentile is right to about a tenth and a
// queue costs the same whatever happens in it; one in which nothing happens costs nothing. Any
// thread may call.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/commands.h"

namespace baton::engine {

// Times by class.
class TimeClasses {
 public:
  void add(base::Duration time);
  void add(const TimeClasses& other);
  std::int64_t count() const { return count_; }
  // The time that this share of all does not exceed, to within its class; zero when there is none.
  base::Duration percentile(double share) const;

 private:
  static constexpr std::size_t kParts = 8;  // classes from one power of two to the next
  static constexpr std::size_t kClasses = 40 * kParts;

  static std::size_t class_of(std::int64_t ms);
  static std::int64_t last_of(std::size_t index);

  std::array<std::uint32_t, kClasses> counts_{};
  std::int64_t count_ = 0;
};

// What happened in some time.
struct PaceCounts {
  std::int64_t submitted = 0;
  std::int64_t started = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;  // ended otherwise
  TimeClasses waited;       // from ready to claimed
  TimeClasses ran;          // from claimed to the end of the run

  void add(const PaceCounts& other);
};

class Pace {
 public:
  static constexpr base::Duration kPiece = base::seconds(5);
  static constexpr std::size_t kPieces = 12;

  explicit Pace(const base::Clock& clock) : clock_(clock) {}

  // What the store tells its watcher.
  void happened(const std::vector<store::Happening>& happenings);

  struct Reading {
    base::Duration span;  // that the counts are of: up to a minute
    PaceCounts counts;
  };
  // By queue; one in which nothing happened in the last minute is not there.
  std::map<std::string, Reading> read() const;

  std::size_t queues() const;  // that it remembers something of

 private:
  struct Piece {
    std::int64_t number = 0;  // which piece of time it counts
    PaceCounts counts;
  };
  using Pieces = std::deque<Piece>;  // oldest first; none is older than a minute by much

  std::int64_t piece_now() const { return clock_.monotonic().ms / kPiece.ms; }
  void forget_old(std::int64_t piece);
  PaceCounts& counts_of(std::string_view queue, std::int64_t piece);
  bool read_some(std::map<std::string, Reading>& all) const;

  const base::Clock& clock_;
  const std::int64_t began_ms_ = clock_.monotonic().ms;
  mutable std::mutex mutex_;
  std::map<std::string, Pieces, std::less<>> queues_;  // guarded by mutex_, as is what follows
  std::int64_t latest_ = 0;                            // the piece that is being counted
};

}  // namespace baton::engine
