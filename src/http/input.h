// What has arrived on a connection and was not yet taken: one block of memory that requests point
// into. A block stays where it is for as long as a request holds it; what comes after then goes
// into a new one. Blocks grow with what a connection sends and shrink when it is done; large ones
// are part of the budget. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "http/budget.h"
#include "http/parser.h"

namespace baton::http {

class Input {
 public:
  explicit Input(std::shared_ptr<Budget> budget) : budget_(std::move(budget)) {}

  // From the first byte of the current request on.
  Window window() const { return {data() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }

  struct Next {
    std::size_t expected = 0;  // how long the window will become; zero when that is not known
    bool idle = false;         // nothing is under way, and nothing may come for long
  };
  // Where to read to; nullopt when there is no memory for more.
  std::optional<std::span<char>> room(const Next& next);
  // So many bytes were read to where room() said.
  void arrived(std::size_t count);
  // The window has become shorter.
  void shorten(std::size_t size) { end_ = begin_ + size; }
  // The current request is over; the next one begins so many bytes later.
  void advance(std::size_t count) { begin_ += count; }
  void clear() { begin_ = end_; }

  // Keeps the current block where it is. Given back on the same thread.
  std::shared_ptr<const void> hold() const { return block_; }

 private:
  struct Block {
    explicit Block(std::size_t size)
        : bytes(std::make_unique_for_overwrite<char[]>(size)), capacity(size) {}
    std::unique_ptr<char[]> bytes;
    std::size_t capacity;
    Share share;
  };

  static constexpr std::size_t kSmallestBlock = 4096;

  char* data() const { return block_ ? block_->bytes.get() : nullptr; }
  bool held() const { return block_.use_count() > 1; }
  // False when there is no memory for it.
  bool move_to_new_block(std::size_t capacity);

  std::shared_ptr<Budget> budget_;
  std::shared_ptr<Block> block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t usual_ = kSmallestBlock;  // the size of the next block
};

}  // namespace baton::http
