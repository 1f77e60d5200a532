#include "http/parser.h"

#include <algorithm>
#include <cstring>

#include "http/ascii.h"

namespace baton::http {
namespace {

constexpr std::size_t kMaxMethodBytes = 32;
constexpr std::string_view kVersion = "HTTP/1.";
// What a request line has besides its target: method, two spaces, version, CR LF.
constexpr std::size_t kAroundTarget = kMaxMethodBytes + 2 + kVersion.size() + 1 + 2;

// What may be in the name and port of a host (RFC 3986).
bool is_host(char c) {
  return is_digit(c) || is_letter(c) ||
         std::string_view("-._~%!$&'()*+,;=:[]").find(c) != std::string_view::npos;
}

}  // namespace

Progress RequestParser::parse(Window& window) {
  for (;;) {
    const std::optional<Progress> progress = step(window);
    if (!progress) continue;
    if (*progress == Progress::kNeedMore) close_gap(window);
    return *progress;
  }
}

std::optional<Progress> RequestParser::step(Window& window) {
  switch (stage_) {
    case Stage::kRequestLine:
      return take_request_line(window);
    case Stage::kFields:
      return take_fields(window);
    case Stage::kLength:
      return take_length(window);
    case Stage::kChunkSize:
      return take_chunk_size(window);
    case Stage::kChunkData:
      return take_chunk_data(window);
    case Stage::kChunkEnd:
      return take_chunk_end(window);
    case Stage::kTrailer:
      return take_trailer(window);
  }
  return refuse(Fault::kInternal, "unknown stage");
}

void RequestParser::reset() { *this = RequestParser(limits_); }

RequestParser::Line RequestParser::take_line(const Window& window, std::size_t max_bytes,
                                             const Problem& too_long) {
  const char* const begin = window.data + position_;
  const std::size_t arrived = window.size - position_;
  const std::size_t searched = std::min(arrived, max_bytes);
  const void* const found = searched == 0 ? nullptr : std::memchr(begin, '\n', searched);
  if (found == nullptr) {
    if (arrived < max_bytes) return {std::nullopt, Progress::kNeedMore};
    return {std::nullopt, refuse(too_long.fault, too_long.detail)};
  }
  const auto size = static_cast<std::size_t>(static_cast<const char*>(found) - begin) + 1;
  if (size < 2 || begin[size - 2] != '\r')
    return {std::nullopt, refuse(Fault::kBadRequest, "a line must end with CR LF")};
  position_ += size;
  return {std::string_view(begin, size - 2), std::nullopt};
}

RequestParser::Line RequestParser::take_field_line(const Window& window) {
  const Problem too_long{Fault::kHeadersTooLarge, "the header fields are too long"};
  // The empty line at the end is not counted.
  const Line line = take_line(window, limits_.max_header_bytes - field_bytes_ + 2, too_long);
  if (!line.text || line.text->empty()) return line;
  field_bytes_ += line.text->size() + 2;
  if (field_bytes_ > limits_.max_header_bytes)
    return {std::nullopt, refuse(too_long.fault, too_long.detail)};
  return line;
}

std::optional<Progress> RequestParser::take_request_line(const Window& window) {
  const std::size_t begin = position_;
  const Line line = take_line(window, kAroundTarget + limits_.max_target_bytes,
                              {Fault::kTargetTooLong, "the request line is too long"});
  if (!line.text) return line.otherwise;
  if (line.text->empty() && !skipped_empty_line_) {
    // RFC 9112, 2.2: some clients send an empty line after a body.
    skipped_empty_line_ = true;
    return std::nullopt;
  }
  if (!take_method_and_target(*line.text, begin)) return Progress::kRefused;
  fields_.begin = position_;
  stage_ = Stage::kFields;
  return std::nullopt;
}

bool RequestParser::take_method_and_target(std::string_view line, std::size_t line_begin) {
  const std::size_t method_size = line.find(' ');
  const std::string_view method = line.substr(0, method_size);
  if (method_size == std::string_view::npos || method.empty() || method.size() > kMaxMethodBytes ||
      !all_are<is_token>(method))
    return fault(Fault::kBadRequest, "the request line does not begin with a method");
  const std::size_t version_at = line.rfind(' ') + 1;
  const std::string_view version = line.substr(version_at);
  if (version_at <= method_size + 1 || !version.starts_with("HTTP/") || version.size() != 8 ||
      !is_digit(version[5]) || version[6] != '.' || !is_digit(version[7]))
    return fault(Fault::kBadRequest, "the request line does not end with an HTTP version");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return fault(Fault::kVersionNotSupported, "only HTTP/1.1 and HTTP/1.0 are spoken here");
  http_1_0_ = version == "HTTP/1.0";
  method_ = {line_begin, method_size};
  const std::size_t target_at = method_size + 1;
  return take_target(line.substr(target_at, version_at - 1 - target_at), line_begin + target_at);
}

bool RequestParser::take_target(std::string_view target, std::size_t begin) {
  if (target.size() > limits_.max_target_bytes)
    return fault(Fault::kTargetTooLong, "the request target is too long");
  if (!all_are<is_visible>(target) || target.find('#') != std::string_view::npos)
    return fault(Fault::kBadRequest, "the request target has a character that must be encoded");
  if (target == "*") {
    path_ = {begin, 1};
    return true;
  }
  // The absolute form, as it is sent to proxies: what counts is the path (RFC 9112, 3.2.2).
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    const std::size_t slash = std::min(target.find('/', scheme.size()), target.size());
    begin += slash;
    target.remove_prefix(slash);
    break;
  }
  if (target.empty() || target.front() != '/')
    return fault(Fault::kBadRequest, "the request target must begin with a slash");
  const std::size_t path_size = std::min(target.find('?'), target.size());
  path_ = {begin, path_size};
  if (path_size < target.size()) query_ = {begin + path_size + 1, target.size() - path_size - 1};
  return true;
}

std::optional<Progress> RequestParser::take_fields(const Window& window) {
  const Line line = take_field_line(window);
  if (!line.text) return line.otherwise;
  if (line.text->empty()) return finish_head(window);
  if (!take_field(*line.text)) return Progress::kRefused;
  return std::nullopt;
}

struct RequestParser::KnownField {
  std::string_view name;
  bool (RequestParser::*take)(std::string_view value);
};

const RequestParser::KnownField RequestParser::kKnownFields[] = {
    {"host", &RequestParser::take_host},
    {"content-length", &RequestParser::take_content_length},
    {"transfer-encoding", &RequestParser::take_transfer_encoding},
    {"connection", &RequestParser::take_connection},
    {"expect", &RequestParser::take_expect},
};

bool RequestParser::take_field(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t')
    return fault(Fault::kBadRequest, "a header field is folded over two lines");
  std::size_t colon = 0;
  while (colon < line.size() && is_token(line[colon]))
    ++colon;
  if (colon == 0 || colon == line.size() || line[colon] != ':')
    return fault(Fault::kBadRequest, "a header field does not begin with a name and a colon");
  const std::string_view value = trim(line.substr(colon + 1));
  if (!all_are<is_field_value>(value))
    return fault(Fault::kBadRequest, "a header field has a control character in it");
  if (stage_ == Stage::kTrailer) return true;
  for (const KnownField& known : kKnownFields)
    if (known.name.size() == colon && equal_ignoring_case(line.substr(0, colon), known.name))
      return (this->*known.take)(value);
  return true;
}

bool RequestParser::take_host(std::string_view value) {
  if (has_host_) return fault(Fault::kBadRequest, "there are two Host fields");
  if (!all_are<is_host>(value)) return fault(Fault::kBadRequest, "the Host field is not a host");
  has_host_ = true;
  return true;
}

bool RequestParser::take_content_length(std::string_view value) {
  if (has_length_) return fault(Fault::kBadRequest, "there are two Content-Length fields");
  // Eighteen digits cannot overflow, and are more than any limit allows.
  if (value.empty() || value.size() > 18 || !all_are<is_digit>(value))
    return fault(Fault::kBadRequest, "Content-Length is not a number");
  for (const char c : value)
    remaining_ = remaining_ * 10 + static_cast<std::uint64_t>(c - '0');
  has_length_ = true;
  return true;
}

bool RequestParser::take_transfer_encoding(std::string_view value) {
  if (body_ == Body::kChunks)
    return fault(Fault::kBadRequest, "there are two Transfer-Encoding fields");
  if (!equal_ignoring_case(value, "chunked")) {
    const std::string_view last = trim(value.substr(value.rfind(',') + 1));
    if (equal_ignoring_case(last, "chunked"))
      return fault(Fault::kNotImplemented, "no transfer encoding but 'chunked' is understood");
    return fault(Fault::kBadRequest, "Transfer-Encoding does not end with 'chunked'");
  }
  body_ = Body::kChunks;
  return true;
}

bool RequestParser::take_connection(std::string_view value) {
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(','), value.size());
    const std::string_view option = trim(value.substr(0, end));
    asked_to_close_ = asked_to_close_ || equal_ignoring_case(option, "close");
    asked_to_keep_ = asked_to_keep_ || equal_ignoring_case(option, "keep-alive");
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return true;
}

bool RequestParser::take_expect(std::string_view value) {
  if (!equal_ignoring_case(value, "100-continue"))
    return fault(Fault::kExpectationFailed, "no expectation but '100-continue' can be met");
  expects_continue_ = true;
  return true;
}

std::optional<Progress> RequestParser::finish_head(const Window& window) {
  fields_.size = field_bytes_;
  body_begin_ = body_end_ = position_;
  keep_alive_ = !asked_to_close_ && (!http_1_0_ || asked_to_keep_);
  if (!http_1_0_ && !has_host_) return refuse(Fault::kBadRequest, "HTTP/1.1 requires a Host field");
  if (body_ == Body::kChunks && has_length_)
    return refuse(Fault::kBadRequest, "there are both Content-Length and Transfer-Encoding");
  if (body_ == Body::kChunks && http_1_0_)
    return refuse(Fault::kBadRequest, "HTTP/1.0 has no Transfer-Encoding");
  if (has_length_ && remaining_ != 0) body_ = Body::kLength;
  expects_continue_ = expects_continue_ && !http_1_0_ && body_ != Body::kNone;
  return begin_body(window);
}

void RequestParser::fill(const char* data, Request& request) const {
  request.method_name = method_.in(data);
  request.method = method_of(request.method_name);
  request.path = path_.in(data);
  request.query = query_.in(data);
  request.headers = Headers(fields_.in(data));
  request.body = {data + body_begin_, body_end_ - body_begin_};
  request.http_1_0 = http_1_0_;
  request.keep_alive = keep_alive_;
}

bool RequestParser::fault(Fault fault, std::string_view detail) {
  problem_ = {fault, detail};
  return false;
}

Progress RequestParser::refuse(Fault why, std::string_view detail) {
  fault(why, detail);
  return Progress::kRefused;
}

}  // namespace baton::http
