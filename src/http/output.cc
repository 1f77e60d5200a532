#include "http/output.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace baton::http {
namespace {

constexpr std::size_t kLargeBody = 16U << 10;
constexpr std::size_t kFullTail = 256U << 10;
constexpr std::size_t kLargestSpare = 16U << 10;

}  // namespace

std::string& Output::tail() {
  if (waiting_.empty() || waiting_.back().size() > kFullTail)
    waiting_.push_back(std::exchange(spare_, {}));
  return waiting_.back();
}

void Output::append(std::string&& bytes) {
  if (bytes.size() < kLargeBody) {
    tail() += bytes;
  } else {
    waiting_.push_back(std::move(bytes));
    waiting_.emplace_back();
  }
}

bool Output::take_off() {
  if (!views_.empty()) return true;
  flying_.swap(waiting_);
  for (const std::string& piece : flying_)
    if (!piece.empty()) views_.push_back(piece);
  if (views_.empty()) flying_.clear();
  return !views_.empty();
}

bool Output::sent(std::size_t count) {
  std::size_t done = 0;
  while (done < views_.size() && count >= views_[done].size())
    count -= views_[done++].size();
  views_.erase(views_.begin(), views_.begin() + static_cast<std::ptrdiff_t>(done));
  if (!views_.empty()) {
    views_.front().remove_prefix(count);
    return false;
  }
  BATON_ASSERT(count == 0);
  if (flying_.front().capacity() <= kLargestSpare) {
    spare_ = std::move(flying_.front());
    spare_.clear();
  }
  flying_.clear();
  return true;
}

std::size_t Output::held() const {
  std::size_t bytes = 0;
  for (const std::string& piece : flying_)
    bytes += piece.capacity();
  for (const std::string& piece : waiting_)
    bytes += piece.capacity();
  return bytes;
}

std::size_t Output::unsent() const {
  std::size_t bytes = 0;
  for (const std::string_view piece : views_)
    bytes += piece.size();
  for (const std::string& piece : waiting_)
    bytes += piece.size();
  return bytes;
}

}  // namespace baton::http
