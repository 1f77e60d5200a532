#include "http/input.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/assert.h"

namespace baton::http {
namespace {

constexpr std::size_t kLargestUsual = 64U << 10;
constexpr std::size_t kSmallestRead = 1024;

}  // namespace

std::optional<std::span<char>> Input::room(const Next& next) {
  const std::size_t usual = next.idle ? kSmallestBlock : usual_;
  const std::size_t live = end_ - begin_;
  if (!block_ && !move_to_new_block(usual)) return std::nullopt;
  if (empty() && !held()) begin_ = end_ = 0;
  // A block that a large body needed is not kept, and a small one that was full is replaced.
  const bool outgrown = empty() && !held() && block_->capacity != usual;
  const bool outlived =
      next.expected == 0 && block_->capacity > kLargestUsual && live + kSmallestRead <= usual;
  if ((outgrown || outlived) && !move_to_new_block(usual)) return std::nullopt;
  const std::size_t missing = next.expected > live ? next.expected - live : kSmallestRead;
  if (block_->capacity - end_ < std::min(missing, kSmallestRead)) {
    // A promised length is believed as far as it has been kept so far.
    const std::size_t wanted = std::min(live + missing, std::max(kLargestUsual, live * 4));
    if (!move_to_new_block(std::max({wanted, live + live / 2, live + kSmallestRead, usual}))) {
      return std::nullopt;
    }
  }
  return std::span<char>(data() + end_, block_->capacity - end_);
}

void Input::arrived(std::size_t count) {
  end_ += count;
  BATON_ASSERT(end_ <= block_->capacity);
  if (end_ == block_->capacity) usual_ = std::min(usual_ * 2, kLargestUsual);
}

bool Input::move_to_new_block(std::size_t capacity) {
  Share share;
  if (capacity > kUncountedBytes) {
    if (!budget_->take(capacity)) return false;
    share = Share(budget_, capacity);
  }
  std::shared_ptr<Block> block;
  try {
    block = std::make_shared<Block>(capacity);
  } catch (const std::bad_alloc&) {
    return false;
  }
  block->share = std::move(share);
  if (!empty()) std::memcpy(block->bytes.get(), data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  block_ = std::move(block);
  return true;
}

}  // namespace baton::http
