// A request as it arrived and the answer to it. A Request is made of views into the connection's
// buffer: they hold until the answer is given, and not a moment longer. A Response owns its bytes.
// Values without threads. Paths and queries are as they were sent; query.h decodes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace baton::http {

enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };

// Methods are case-sensitive; every one that has no name here is kOther.
Method method_of(std::string_view name);

// The fields of a request's head, looked up where they lie.
class Headers {
 public:
  Headers() = default;
  // Lines "Name: value\r\n", already checked by the parser.
  explicit Headers(std::string_view lines) : lines_(lines) {}

  // The value of the first field of this name, in any case, without white space around it.
  std::optional<std::string_view> find(std::string_view name) const;
  std::string_view lines() const { return lines_; }

 private:
  std::string_view lines_;
};

struct Request {
  Method method = Method::kOther;
  std::string_view method_name;
  std::string_view path;   // begins with a slash, or is "*"; still percent-encoded
  std::string_view query;  // what follows the first question mark
  Headers headers;
  std::string_view body;  // whole, and without the framing of chunks
  bool http_1_0 = false;
  bool keep_alive = true;
  // When its last byte was there, on the monotonic clock. What waits longer than that for its
  // turn is judged by this moment where the model says so.
  Duration arrived{};
};

struct Field {
  std::string name;
  std::string value;
};

// The server adds Date, Content-Length and Connection. An answer to HEAD is given like the answer
// to GET; its body is counted and not sent. 204 and 304 have no body.
struct Response {
  int status = 200;
  std::string content_type{};  // empty: none is sent
  std::string body{};
  std::vector<Field> fields{};
};

// "Not Found"; "Unknown" for a status without a name.
std::string_view reason_phrase(int status);

}  // namespace baton::http
