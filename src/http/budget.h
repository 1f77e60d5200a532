// How many bytes all connections of a server may hold together, of one kind: bodies that arrive, or
// answers that wait to be sent. Counting is atomic; any thread. A Share is a part of a Budget and
// gives itself back; one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace baton::http {

class Budget {
 public:
  explicit Budget(std::size_t limit) : limit_(limit) {}

  // False, and nothing is taken, when that would be too much.
  bool take(std::size_t bytes) {
    if (taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_) return true;
    give_back(bytes);
    return false;
  }
  // For what cannot be refused any more.
  void take_anyway(std::size_t bytes) { taken_.fetch_add(bytes, std::memory_order_relaxed); }
  void give_back(std::size_t bytes) { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

  bool is_short() const { return taken() > limit_ / 2; }
  bool is_exceeded() const { return taken() > limit_; }
  std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> taken_{0};
};

class Share {
 public:
  Share() = default;
  // Of bytes that were taken.
  Share(std::shared_ptr<Budget> budget, std::size_t bytes)
      : budget_(std::move(budget)), bytes_(bytes) {}
  Share(Share&& other) noexcept
      : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
  Share& operator=(Share&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() {
    if (budget_) budget_->give_back(bytes_);
  }

  std::size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<Budget> budget_;
  std::size_t bytes_ = 0;
};

// What the connections of a server share.
struct Budgets {
  std::shared_ptr<Budget> bodies;
  std::shared_ptr<Budget> answers;
};

// What is smaller is not counted, and never refused: there are at most so many connections.
inline constexpr std::size_t kUncountedBytes = std::size_t{64} << 10;

}  // namespace baton::http
