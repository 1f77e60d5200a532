// Reads one request after the other from bytes that arrive in any pieces. It works on a window that
// starts with the first byte of a request and grows; it remembers offsets only, so that the bytes
// may move between two calls. Chunks are taken out of their framing in place. Strict, because two
// readers that disagree about where a request ends are a hole: both lengths, repeated lengths,
// folded lines, spaces before a colon, lone CR or LF and the like are refused, and after most
// refusals nothing more can be read. No sockets, no threads, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message.h"
#include "http/problem.h"

namespace baton::http {

struct ParserLimits {
  std::size_t max_header_bytes = 0;
  std::size_t max_target_bytes = 0;
  std::size_t max_body_bytes = 0;
  std::size_t max_discarded_bytes = 0;
};

// What has arrived, from the first byte of the request on. parse() may take bytes out of it.
struct Window {
  char* data = nullptr;
  std::size_t size = 0;
};

enum class Progress : std::uint8_t {
  kNeedMore,
  kHead,      // the head is complete and a body follows; parse again. Once a request.
  kComplete,  // fill() gives the request; the next one begins at position()
  kRefused,   // problem() says why; framed() says whether a next request can be read
};

class RequestParser {
 public:
  explicit RequestParser(const ParserLimits& limits) : limits_(limits) {}

  // Goes on where it stopped. After kComplete and kRefused comes reset().
  Progress parse(Window& window);
  void reset();

  // After kComplete, with the window's first byte. Sets what was parsed, and nothing else.
  void fill(const char* data, Request& request) const;
  // How much of the window is this request's.
  std::size_t position() const { return position_; }
  bool keep_alive() const { return keep_alive_; }

  const Problem& problem() const { return problem_; }
  // After kRefused: the whole request was read, so that the connection may go on.
  bool framed() const { return framed_; }

  bool is_discarding() const { return discarding_; }
  bool in_body() const { return stage_ > Stage::kFields; }
  // The client waits to be told that it may send the body.
  bool expects_continue() const { return expects_continue_; }
  // Body bytes so far, with those that were not kept.
  std::size_t body_bytes() const { return body_bytes_; }
  // The rest of the body is thrown away as it comes, and at its end the request is refused.
  void discard_body(const Problem& reason);
  // How long the window will become; zero when that is not known.
  std::size_t expected_size() const;

 private:
  enum class Stage : std::uint8_t {
    kRequestLine,
    kFields,
    kLength,
    kChunkSize,
    kChunkData,
    kChunkEnd,
    kTrailer,
  };
  enum class Body : std::uint8_t { kNone, kLength, kChunks };

  // Each takes what it can. nullopt: go on; otherwise what parse() answers.
  std::optional<Progress> step(Window& window);
  std::optional<Progress> take_request_line(const Window& window);
  std::optional<Progress> take_fields(const Window& window);
  std::optional<Progress> take_length(Window& window);
  std::optional<Progress> take_chunk_size(const Window& window);
  std::optional<Progress> take_chunk_data(Window& window);
  std::optional<Progress> take_chunk_end(const Window& window);
  std::optional<Progress> take_trailer(const Window& window);

  // A line without its CR LF, from position_ on, which then is behind it. Empty optional: there is
  // none yet, or it was refused.
  struct Line {
    std::optional<std::string_view> text;
    std::optional<Progress> otherwise;
  };
  Line take_line(const Window& window, std::size_t max_bytes, const Problem& too_long);

  Line take_field_line(const Window& window);

  bool take_method_and_target(std::string_view line, std::size_t line_begin);
  bool take_target(std::string_view target, std::size_t begin);
  bool take_field(std::string_view line);
  bool take_host(std::string_view value);
  bool take_content_length(std::string_view value);
  bool take_transfer_encoding(std::string_view value);
  bool take_connection(std::string_view value);
  bool take_expect(std::string_view value);
  struct KnownField;
  static const KnownField kKnownFields[];

  std::optional<Progress> finish_head(const Window& window);
  std::optional<Progress> begin_body(const Window& window);
  // False when the body is too large even to be thrown away.
  bool expect_body_bytes(std::uint64_t more);
  void keep(Window& window, std::size_t count);
  void close_gap(Window& window);
  Progress finish();

  bool fault(Fault fault, std::string_view detail);  // always false
  Progress refuse(Fault fault, std::string_view detail);

  struct Range {
    std::size_t begin = 0;
    std::size_t size = 0;
    std::string_view in(const char* data) const { return {data + begin, size}; }
  };

  ParserLimits limits_;
  Stage stage_ = Stage::kRequestLine;
  std::size_t position_ = 0;
  std::size_t field_bytes_ = 0;  // of the header's lines so far, or the trailer's
  Range method_;
  Range path_;
  Range query_;
  Range fields_;
  std::size_t body_begin_ = 0;
  std::size_t body_end_ = 0;
  std::uint64_t remaining_ = 0;  // of the body, or of the chunk
  std::size_t body_bytes_ = 0;
  Body body_ = Body::kNone;
  bool skipped_empty_line_ = false;
  bool http_1_0_ = false;
  bool keep_alive_ = true;
  bool asked_to_close_ = false;
  bool asked_to_keep_ = false;
  bool has_host_ = false;
  bool has_length_ = false;
  bool expects_continue_ = false;
  bool discarding_ = false;
  bool framed_ = false;
  Problem discarded_because_{Fault::kBodyTooLarge, "the body is larger than is allowed"};
  Problem problem_;
};

}  // namespace baton::http
