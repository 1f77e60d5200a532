// How fast jobs come and go, by queue and in all: counts of the last minute, and how long jobs
// waited and ran. Times are kept in classes an eighth apart, so that a percentile is right to about
// a tenth. A queue costs what happens in it, at most some kilobytes, and nothing when nothing does;
// when all of them cost too much, those are forgotten in which nothing happened for longest. Any
// thread may call.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "store/commands.h"

namespace baton::engine {

// Times by class.
class TimeClasses {
 public:
  void add(Duration time);
  void add(const TimeClasses& other);
  std::int64_t count() const { return count_; }
  // The time that this share of all does not exceed, to within its class; zero when there is none.
  Duration percentile(double share) const;
  std::size_t bytes() const { return classes_.capacity() * sizeof(Class); }

 private:
  struct Class {
    std::uint16_t index = 0;
    std::uint32_t count = 0;
  };

  static constexpr std::size_t kParts = 8;  // classes from one power of two to the next
  static constexpr std::size_t kClasses = 40 * kParts;

  static std::size_t class_of(std::int64_t ms);
  static std::int64_t last_of(std::size_t index);

  void add(std::size_t index, std::uint32_t count);

  std::vector<Class> classes_;  // those that have some, by index
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
  static constexpr Duration kPiece = base::seconds(5);
  static constexpr std::size_t kPieces = 12;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  explicit Pace(const base::Clock& clock, std::size_t most_bytes = kMostBytes)
      : clock_(clock), most_bytes_(most_bytes) {}

  // What the store tells its watcher.
  void happened(const std::vector<store::Happening>& happenings);

  struct Reading {
    Duration span;  // that the counts are of: up to a minute; 0 when there is nothing
    PaceCounts counts;
  };
  Reading read(const std::string& queue) const;
  Reading read_all() const;  // of all queues together, also those that it has forgotten

  std::size_t queues() const;  // that it remembers something of
  std::size_t bytes() const;   // that it has about them

 private:
  struct Piece {
    std::int64_t number = 0;  // which piece of time it counts
    PaceCounts counts;
  };
  using Pieces = std::vector<Piece>;  // oldest first
  struct Tracked {
    std::string name;
    Pieces pieces;
    std::size_t bytes = 0;  // when it was last weighed
  };
  using Order = std::list<Tracked>;  // what happened in longest ago first

  std::int64_t piece_now() const { return clock_.monotonic().ms / kPiece.ms; }
  static void drop_old(Pieces& pieces, std::int64_t piece);
  static PaceCounts& counts_in(Pieces& pieces, std::int64_t piece);
  void forget_old(std::int64_t piece);
  Order::iterator tracked(std::string_view queue);
  void weigh(Tracked& queue);
  void forget(Order::iterator queue);
  Reading sum(const Pieces& pieces) const;

  const base::Clock& clock_;
  const std::size_t most_bytes_;
  const std::int64_t began_ms_ = clock_.monotonic().ms;
  mutable std::mutex mutex_;
  Order order_;  // guarded by mutex_, as is what follows
  std::unordered_map<std::string_view, Order::iterator> by_name_;  // the names stand in order_
  Pieces all_;
  std::size_t bytes_ = 0;
};

}  // namespace baton::engine
