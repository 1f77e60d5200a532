// Answers as bytes of HTTP/1.1. Control characters in what a handler says about its answer become
// spaces, so that no value can end a line. Appends to a string it is lent; pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "http/message.h"

namespace baton::http {

// "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", made anew once a second. One thread at a time.
class DateLine {
 public:
  void set(Time now);
  std::string_view line() const { return line_; }

 private:
  std::int64_t second_ = -1;
  std::string line_;
};

enum class Framing : std::uint8_t {
  kLength,      // Content-Length
  kChunks,      // Transfer-Encoding: chunked
  kUntilClose,  // neither: the end of the connection ends the body
};

struct HeadOptions {
  Framing framing = Framing::kLength;
  bool keep_alive = true;
  bool http_1_0 = false;  // what the client speaks
  std::string_view date_line{};
};

// The status line and the fields, with the empty line that ends them.
void append_head(std::string& out, const Response& response, const HeadOptions& options);

// Whether an answer with this status may have a body at all.
bool has_body(int status);

// One chunk; an empty one would end the body and must not be given.
void append_chunk(std::string& out, std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace baton::http
