// Requests as a stranger sends them. The first byte decides about limits and pieces, the rest is
// the stream. What comes out must not depend on how the stream was cut, must keep to the limits,
// and must stay as it is for as long as a connection holds it.
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "draw.h"
#include "http/ascii.h"
#include "http/input.h"
#include "http/parser.h"

namespace baton::http {
namespace {

constexpr ParserLimits kNarrow{.max_header_bytes = 400,
                               .max_target_bytes = 100,
                               .max_body_bytes = 64,
                               .max_discarded_bytes = 256};
constexpr ParserLimits kWide{.max_header_bytes = 16384,
                             .max_target_bytes = 8192,
                             .max_body_bytes = 65536,
                             .max_discarded_bytes = 65536};

// More than any line has besides what is limited: method and version, or the size of a chunk.
constexpr std::size_t kAround = 1100;

std::string text_of(const Request& request) {
  std::string text = std::string(request.method_name) + " " + std::string(request.path) + "?" +
                     std::string(request.query) + "\n" + std::string(request.headers.lines()) +
                     "\n" + std::string(request.body);
  text += request.http_1_0 ? " 1.0" : " 1.1";
  return text + (request.keep_alive ? " stays" : " closes");
}

void check_request(const Request& request, const ParserLimits& limits) {
  BATON_ASSERT(!request.method_name.empty() && all_are<is_token>(request.method_name));
  BATON_ASSERT(request.path == "*" || request.path.starts_with('/'));
  BATON_ASSERT(all_are<is_visible>(request.path) && all_are<is_visible>(request.query));
  BATON_ASSERT(request.path.size() + request.query.size() <= limits.max_target_bytes);
  BATON_ASSERT(request.headers.lines().size() <= limits.max_header_bytes);
  BATON_ASSERT(request.body.size() <= limits.max_body_bytes);
  BATON_ASSERT(request.http_1_0 || request.headers.find("host"));
  const bool both =
      request.headers.find("content-length") && request.headers.find("transfer-encoding");
  BATON_ASSERT(!both);
}

// What one stream led to: each request and refusal, and where it stands at the end.
class Outcome {
 public:
  explicit Outcome(const ParserLimits& limits) : limits_(limits), parser_(limits) {}

  RequestParser& parser() { return parser_; }
  bool ended() const { return ended_; }
  const std::vector<std::string>& lines() const { return lines_; }

  // Looks at what parse() said about the window. True when a request or refusal is over.
  bool take(Progress progress, const Window& window, Request& request) {
    BATON_ASSERT(parser_.position() <= window.size);
    switch (progress) {
      case Progress::kNeedMore:
        check_memory(window.size);
        check_memory(parser_.expected_size());
        return false;
      case Progress::kHead:
        BATON_ASSERT(!head_ && parser_.in_body());
        head_ = true;
        return false;
      case Progress::kComplete:
        parser_.fill(window.data, request);
        check_request(request, limits_);
        BATON_ASSERT(head_ || request.body.empty());
        lines_.push_back(text_of(request));
        break;
      case Progress::kRefused:
        BATON_ASSERT(status_of(parser_.problem().fault) >= 400);
        BATON_ASSERT(!parser_.problem().detail.empty());
        BATON_ASSERT(parser_.problem().fault != Fault::kInternal);
        lines_.push_back("refused: " + std::string(parser_.problem().detail));
        ended_ = !parser_.framed();
        break;
    }
    head_ = false;
    return true;
  }

  void finish() {
    if (ended_) return;
    lines_.push_back(std::string(parser_.in_body() ? "in a body after " : "after ") +
                     std::to_string(parser_.body_bytes()));
  }

 private:
  void check_memory(std::size_t bytes) const {
    BATON_ASSERT(bytes <= limits_.max_target_bytes + 2 * limits_.max_header_bytes +
                              limits_.max_body_bytes + kAround);
  }

  ParserLimits limits_;
  RequestParser parser_;
  std::vector<std::string> lines_;
  bool head_ = false;
  bool ended_ = false;
};

// All at once, each request in a block of exactly its size: reading beyond it is noticed.
std::vector<std::string> read_whole(std::string_view bytes, const ParserLimits& limits) {
  Outcome outcome(limits);
  std::vector<char> block(bytes.begin(), bytes.end());
  while (!outcome.ended() && !block.empty()) {
    Window window{block.data(), block.size()};
    Request request;
    const Progress progress = outcome.parser().parse(window);
    BATON_ASSERT(window.size <= block.size());
    const bool over = outcome.take(progress, window, request);
    if (progress == Progress::kNeedMore) break;
    if (!over) continue;
    const auto rest = static_cast<std::ptrdiff_t>(outcome.parser().position());
    block = std::vector<char>(block.begin() + rest,
                              block.begin() + static_cast<std::ptrdiff_t>(window.size));
    if (!outcome.ended()) outcome.parser().reset();
  }
  outcome.finish();
  return outcome.lines();
}

struct Held {
  Request request;
  std::string text;
  std::shared_ptr<const void> bytes;
};

// In pieces, as a connection reads them. Some requests are held while others are read.
std::vector<std::string> read_in_pieces(std::string_view bytes, const ParserLimits& limits,
                                        std::uint8_t seed) {
  Outcome outcome(limits);
  fuzz::Pieces pieces(bytes, seed);
  RowInput input;
  std::vector<Held> held;
  while (!pieces.ended() && !outcome.ended()) {
    const std::span<char> room = input.room(outcome.parser().expected_size());
    BATON_ASSERT(!room.empty());
    const std::string_view piece = pieces.next(room.size());
    std::copy(piece.begin(), piece.end(), room.begin());
    input.arrived(piece.size());
    while (!input.empty() && !outcome.ended()) {
      Window window = input.window();
      Request request;
      const Progress progress = outcome.parser().parse(window);
      input.shorten(window.size);
      const bool over = outcome.take(progress, window, request);
      if (progress == Progress::kNeedMore) break;
      if (!over) continue;
      if (progress == Progress::kComplete && (held.size() + seed) % 3 != 0)
        held.push_back({request, outcome.lines().back(), input.hold()});
      input.advance(outcome.parser().position());
      if (!outcome.ended()) outcome.parser().reset();
    }
  }
  outcome.finish();
  for (const Held& each : held)
    BATON_ASSERT(text_of(each.request) == each.text);
  return outcome.lines();
}

}  // namespace
}  // namespace baton::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton::http;
  baton::fuzz::Draw draw(baton::fuzz::view_of(data, size));
  const std::uint8_t seed = draw.byte();
  const ParserLimits& limits = seed % 2 == 0 ? kNarrow : kWide;
  const auto whole = read_whole(draw.rest(), limits);
  BATON_ASSERT(read_in_pieces(draw.rest(), limits, seed) == whole);
  return 0;
}
