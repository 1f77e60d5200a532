// Reads one answer of HTTP/1.1 from bytes that come in pieces of any size. It is strict: an answer
// whose end is not certain is refused, because the next one would begin in the wrong place. Interim
// answers (1xx) are passed over. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "client/response.h"

namespace baton::client {

class ResponseParser {
 public:
  enum class Progress : std::uint8_t {
    kNeedsMore,
    kDone,
    kBroken,  // see problem()
  };

  // Takes the next bytes. What comes after the end of the answer is a violation: nothing was asked.
  Progress take(std::string_view bytes);
  // The other side will send nothing more.
  Progress at_end();

  // Whether a byte of the answer has come.
  bool begun() const { return begun_; }
  Response& response() { return response_; }
  const std::string& problem() const { return problem_; }

 private:
  enum class Part : std::uint8_t {
    kStatusLine,
    kField,
    kBody,      // `left_` more bytes
    kUntilEnd,  // until the connection ends
    kChunkSize,
    kChunk,  // `left_` more bytes
    kChunkEnd,
    kTrailer,
    kDone,
    kBroken,
  };

  void take_line(std::string_view line);
  void take_status_line(std::string_view line);
  void take_field(std::string_view line);
  void take_known_field(std::string_view name, std::string_view value);
  void take_length(std::string_view value);
  void take_chunk_size(std::string_view line);
  void end_head();
  void take_body(std::string_view& bytes);
  bool reads_lines() const;
  void fail(std::string problem);

  Part part_ = Part::kStatusLine;
  std::string line_;  // as far as it has come
  std::size_t head_bytes_ = 0;
  std::uint64_t left_ = 0;
  bool has_length_ = false;
  std::uint64_t length_ = 0;
  bool chunked_ = false;
  bool closes_ = false;
  bool begun_ = false;
  Response response_;
  std::string problem_;
};

}  // namespace baton::client
