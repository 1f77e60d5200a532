#include "client/response_parser.h"

#include <algorithm>
#include <charconv>

namespace baton::client {
namespace {

constexpr std::size_t kMaxHead = std::size_t{64} << 10;
constexpr std::uint64_t kMaxBody = std::uint64_t{256} << 20;
// How far a length is believed before the bytes have come.
constexpr std::uint64_t kMaxReserved = std::uint64_t{1} << 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

// Is `word` in a list with commas?
bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (same_word(trimmed(list.substr(0, comma)), word)) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

// The whole text as a number, or false.
bool read_number(std::string_view text, int base, std::uint64_t& out) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return !text.empty() && end.ec == std::errc() && end.ptr == text.data() + text.size();
}

}  // namespace

void ResponseParser::fail(std::string problem) {
  part_ = Part::kBroken;
  problem_ = std::move(problem);
}

bool ResponseParser::reads_lines() const {
  switch (part_) {
    case Part::kStatusLine:
    case Part::kField:
    case Part::kChunkSize:
    case Part::kChunkEnd:
    case Part::kTrailer:
      return true;
    default:
      return false;
  }
}

ResponseParser::Progress ResponseParser::take(std::string_view bytes) {
  begun_ = begun_ || !bytes.empty();
  while (!bytes.empty() && part_ != Part::kBroken) {
    if (part_ == Part::kDone) {
      fail("there is something after the answer");
    } else if (reads_lines()) {
      const std::size_t end = bytes.find('\n');
      const std::size_t size = end == std::string_view::npos ? bytes.size() : end + 1;
      line_ += bytes.substr(0, size);
      bytes.remove_prefix(size);
      head_bytes_ += size;
      if (head_bytes_ > kMaxHead) {
        fail("the head of the answer is too long");
      } else if (end != std::string_view::npos) {
        if (!line_.ends_with("\r\n"))
          return fail("a line does not end in CR LF"), Progress::kBroken;
        const std::string line = std::move(line_);
        line_.clear();
        take_line(std::string_view(line).substr(0, line.size() - 2));
      }
    } else {
      take_body(bytes);
    }
  }
  if (part_ == Part::kBroken) return Progress::kBroken;
  return part_ == Part::kDone ? Progress::kDone : Progress::kNeedsMore;
}

ResponseParser::Progress ResponseParser::at_end() {
  if (part_ == Part::kUntilEnd) part_ = Part::kDone;
  if (part_ != Part::kDone && part_ != Part::kBroken)
    fail("the connection ended before the answer");
  return part_ == Part::kDone ? Progress::kDone : Progress::kBroken;
}

void ResponseParser::take_line(std::string_view line) {
  switch (part_) {
    case Part::kStatusLine:
      return take_status_line(line);
    case Part::kField:
      return line.empty() ? end_head() : take_field(line);
    case Part::kChunkSize:
      return take_chunk_size(line);
    case Part::kChunkEnd:
      if (!line.empty()) return fail("a chunk is longer than it said");
      part_ = Part::kChunkSize;
      return;
    default:  // a trailer, whose fields say nothing to us
      if (line.empty()) part_ = Part::kDone;
  }
}

void ResponseParser::take_status_line(std::string_view line) {
  const bool shaped = line.size() >= 12 && line.starts_with("HTTP/1.") && is_digit(line[7]) &&
                      line[8] == ' ' && is_digit(line[9]) && is_digit(line[10]) &&
                      is_digit(line[11]) && (line.size() == 12 || line[12] == ' ');
  if (!shaped) return fail("the answer does not begin like HTTP");
  std::uint64_t status = 0;
  read_number(line.substr(9, 3), 10, status);
  if (status < 100) return fail("the status is no number from 100 to 999");
  response_.status = static_cast<int>(status);
  closes_ = line[7] == '0';
  part_ = Part::kField;
}

void ResponseParser::take_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos || line.front() == ' ' ||
      line.front() == '\t' || line[colon - 1] == ' ' || line[colon - 1] == '\t') {
    return fail("a header of the answer is broken");
  }
  take_known_field(line.substr(0, colon), trimmed(line.substr(colon + 1)));
}

void ResponseParser::take_known_field(std::string_view name, std::string_view value) {
  if (same_word(name, "content-length")) return take_length(value);
  if (same_word(name, "transfer-encoding")) {
    if (chunked_ || !same_word(value, "chunked")) return fail("the transfer encoding is unknown");
    chunked_ = true;
  } else if (same_word(name, "connection")) {
    if (has_word(value, "close")) closes_ = true;
    if (has_word(value, "keep-alive")) closes_ = false;
  } else if (same_word(name, "content-type")) {
    response_.content_type = value;
  } else if (same_word(name, "retry-after")) {
    std::uint64_t seconds = 0;
    // It may be a date, too; then the time is simply not known.
    if (read_number(value, 10, seconds) && seconds <= 1'000'000'000) {
      response_.retry_after = std::chrono::seconds(seconds);
    }
  }
}

void ResponseParser::take_length(std::string_view value) {
  std::uint64_t length = 0;
  const bool digits = std::all_of(value.begin(), value.end(), is_digit);
  if (!digits || !read_number(value, 10, length)) return fail("the length is no number");
  if (has_length_ && length != length_) return fail("the answer has two lengths");
  if (length > kMaxBody) return fail("the answer is too long");
  has_length_ = true;
  length_ = length;
}

void ResponseParser::end_head() {
  if (chunked_ && has_length_) return fail("the answer has a length and is in chunks");
  if (response_.status < 200) {
    // An interim answer; the real one follows.
    if (response_.status == 101) return fail("the server changed to another protocol");
    response_ = {};
    has_length_ = chunked_ = closes_ = false;
    head_bytes_ = 0;
    part_ = Part::kStatusLine;
    return;
  }
  response_.keep_alive = !closes_;
  const bool empty = response_.status == 204 || response_.status == 304;
  if (empty || (has_length_ && length_ == 0)) {
    part_ = Part::kDone;
  } else if (chunked_) {
    part_ = Part::kChunkSize;
  } else if (has_length_) {
    left_ = length_;
    response_.body.reserve(std::min<std::uint64_t>(length_, kMaxReserved));
    part_ = Part::kBody;
  } else if (closes_) {
    part_ = Part::kUntilEnd;
  } else {
    fail("the answer does not say how long it is");
  }
}

void ResponseParser::take_chunk_size(std::string_view line) {
  head_bytes_ = 0;  // chunks without end are limited by the body
  const std::string_view digits = trimmed(line.substr(0, line.find(';')));
  if (!read_number(digits, 16, left_)) return fail("the size of a chunk is no number");
  if (left_ > kMaxBody || response_.body.size() + left_ > kMaxBody) {
    return fail("the answer is too long");
  }
  part_ = left_ == 0 ? Part::kTrailer : Part::kChunk;
}

void ResponseParser::take_body(std::string_view& bytes) {
  const bool until_end = part_ == Part::kUntilEnd;
  const std::size_t size =
      until_end ? bytes.size()
                : static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  if (response_.body.size() + size > kMaxBody) return fail("the answer is too long");
  response_.body += bytes.substr(0, size);
  bytes.remove_prefix(size);
  if (until_end) return;
  left_ -= size;
  if (left_ == 0) part_ = part_ == Part::kBody ? Part::kDone : Part::kChunkEnd;
}

}  // namespace baton::client
