#include "http/input.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace baton::http {
namespace {

constexpr std::size_t kLargestUsual = 64U << 10;
constexpr std::size_t kSmallestRead = 1024;

}  // namespace

std::span<char> Input::room(std::size_t expected) {
  if (!block_) move_to_new_block(usual_);
  if (empty() && !held()) {
    begin_ = end_ = 0;
    // A block that a large body needed is not kept, and a small one that was full is replaced.
    if (block_->capacity != usual_) move_to_new_block(usual_);
  }
  const std::size_t live = end_ - begin_;
  const std::size_t missing = expected > live ? expected - live : kSmallestRead;
  if (block_->capacity - end_ < std::min(missing, kSmallestRead)) {
    // A promised length is believed as far as it has been kept so far.
    const std::size_t wanted = std::min(live + missing, std::max(kLargestUsual, live * 4));
    move_to_new_block(std::max({wanted, live + live / 2, live + kSmallestRead, usual_}));
  }
  return {data() + end_, block_->capacity - end_};
}

void Input::arrived(std::size_t count) {
  end_ += count;
  BATON_ASSERT(end_ <= block_->capacity);
  if (end_ == block_->capacity) usual_ = std::min(usual_ * 2, kLargestUsual);
}

void Input::move_to_new_block(std::size_t capacity) {
  auto block = std::make_shared<Block>(capacity);
  if (!empty()) std::memcpy(block->bytes.get(), data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  block_ = std::move(block);
}

}  // namespace baton::http
