// What has arrived on a connection and was not yet taken: one block of memory that requests point
// into. A block stays where it is for as long as a request holds it; what comes after then goes
// into a new one. Blocks grow with what a connection sends and shrink when it is done. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "http/parser.h"

namespace baton::http {

class Input {
 public:
  // From the first byte of the current request on.
  Window window() const { return {data() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }

  // Where to read to. `expected` is how long the window will become, zero when that is not known.
  std::span<char> room(std::size_t expected);
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
  };

  char* data() const { return block_ ? block_->bytes.get() : nullptr; }
  bool held() const { return block_.use_count() > 1; }
  void move_to_new_block(std::size_t capacity);

  std::shared_ptr<Block> block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t usual_ = 4096;  // the size of the next block
};

}  // namespace baton::http
