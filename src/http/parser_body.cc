// The second half of RequestParser: bodies with a length, and bodies in chunks.
#include <algorithm>
#include <cstring>

#include "base/hex.h"
#include "http/ascii.h"
#include "http/parser.h"

namespace baton::http {
namespace {

// A size, and extensions that nobody reads.
constexpr std::size_t kMaxChunkLine = 1024;
constexpr std::size_t kMaxSizeDigits = 15;

}  // namespace

std::optional<Progress> RequestParser::begin_body(const Window& window) {
  if (body_ == Body::kNone) return finish();
  stage_ = body_ == Body::kLength ? Stage::kLength : Stage::kChunkSize;
  if (body_ == Body::kLength && !expect_body_bytes(remaining_)) return Progress::kRefused;
  if (expects_continue_ && discarding_)
    return refuse(Fault::kBodyTooLarge, "the body would be larger than is allowed");
  // A body that is here already needs no invitation.
  expects_continue_ = expects_continue_ && window.size == position_;
  return Progress::kHead;
}

bool RequestParser::expect_body_bytes(std::uint64_t more) {
  const std::uint64_t total = body_bytes_ + more;
  if (total > limits_.max_body_bytes) {
    discarding_ = true;
    body_end_ = body_begin_;
  }
  if (total > std::max(limits_.max_body_bytes, limits_.max_discarded_bytes))
    return fault(Fault::kBodyTooLarge, "the body is larger than is allowed");
  return true;
}

void RequestParser::keep(Window& window, std::size_t count) {
  if (!discarding_) {
    if (body_end_ != position_)
      std::memmove(window.data + body_end_, window.data + position_, count);
    body_end_ += count;
  }
  position_ += count;
  remaining_ -= count;
  body_bytes_ += count;
}

// What is left between the body so far and the unread bytes is framing, or was thrown away.
void RequestParser::close_gap(Window& window) {
  if (!in_body() || body_end_ == position_) return;
  std::memmove(window.data + body_end_, window.data + position_, window.size - position_);
  window.size -= position_ - body_end_;
  position_ = body_end_;
}

Progress RequestParser::finish() {
  if (!discarding_) return Progress::kComplete;
  framed_ = true;
  return refuse(discarded_because_.fault, discarded_because_.detail);
}

void RequestParser::discard_body(const Problem& reason) {
  discarding_ = true;
  body_end_ = body_begin_;
  discarded_because_ = reason;
}

std::size_t RequestParser::expected_size() const {
  if (stage_ != Stage::kLength || discarding_) return 0;
  return position_ + static_cast<std::size_t>(remaining_);
}

std::optional<Progress> RequestParser::take_length(Window& window) {
  keep(window, std::min<std::uint64_t>(remaining_, window.size - position_));
  if (remaining_ != 0) return Progress::kNeedMore;
  return finish();
}

std::optional<Progress> RequestParser::take_chunk_size(const Window& window) {
  const Line line =
      take_line(window, kMaxChunkLine, {Fault::kBadRequest, "the line of a chunk is too long"});
  if (!line.text) return line.otherwise;
  std::size_t digits = 0;
  std::uint64_t size = 0;
  while (digits < line.text->size() && base::hex_value((*line.text)[digits]) >= 0 &&
         digits <= kMaxSizeDigits)
    size = size * 16 + static_cast<std::uint64_t>(base::hex_value((*line.text)[digits++]));
  const std::string_view extension = line.text->substr(digits);
  if (digits == 0 || digits > kMaxSizeDigits || (!extension.empty() && extension.front() != ';') ||
      !all_are<is_field_value>(extension))
    return refuse(Fault::kBadRequest, "the size of a chunk is not a hexadecimal number");
  remaining_ = size;
  if (size == 0) {
    stage_ = Stage::kTrailer;
    field_bytes_ = 0;
    return std::nullopt;
  }
  if (!expect_body_bytes(size)) return Progress::kRefused;
  stage_ = Stage::kChunkData;
  return std::nullopt;
}

std::optional<Progress> RequestParser::take_chunk_data(Window& window) {
  keep(window, std::min<std::uint64_t>(remaining_, window.size - position_));
  if (remaining_ != 0) return Progress::kNeedMore;
  stage_ = Stage::kChunkEnd;
  return std::nullopt;
}

std::optional<Progress> RequestParser::take_chunk_end(const Window& window) {
  const std::size_t arrived = std::min<std::size_t>(window.size - position_, 2);
  if (std::memcmp(window.data + position_, "\r\n", arrived) != 0)
    return refuse(Fault::kBadRequest, "a chunk is longer than its size says");
  if (arrived < 2) return Progress::kNeedMore;
  position_ += 2;
  stage_ = Stage::kChunkSize;
  return std::nullopt;
}

// Fields after the last chunk are checked like others, and then forgotten.
std::optional<Progress> RequestParser::take_trailer(const Window& window) {
  const Line line = take_field_line(window);
  if (!line.text) return line.otherwise;
  if (line.text->empty()) return finish();
  if (!take_field(*line.text)) return Progress::kRefused;
  return std::nullopt;
}

}  // namespace baton::http
