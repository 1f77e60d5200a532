// Answers as a server, or something in its place, sends them. The first byte chooses: the response
// parser, which must not care how the bytes were cut; one of the readers of JSON, which must take
// the answer or say that it is not understood; the problem documents; and the way from the server's
// own serializer through the parser, on which nothing may be lost.
#include <string>

#include "base/assert.h"
#include "client/answers.h"
#include "client/read_error.h"
#include "client/response_parser.h"
#include "draw.h"
#include "http/ascii.h"
#include "http/serialize.h"

namespace baton::fuzz {
namespace {

using client::Response;
using client::ResponseParser;
using Progress = client::ResponseParser::Progress;

// ---- The parser

struct Parsed {
  Progress progress = Progress::kNeedsMore;
  Progress at_end = Progress::kNeedsMore;
  Response response;
  std::string problem;
};

Parsed finish(ResponseParser& parser, Progress progress) {
  Parsed parsed{.progress = progress};
  parsed.at_end = parser.at_end();
  BATON_ASSERT(parsed.at_end != Progress::kNeedsMore);
  BATON_ASSERT((parsed.at_end == Progress::kBroken) == !parser.problem().empty());
  if (progress != Progress::kNeedsMore) BATON_ASSERT(parsed.at_end == progress);
  parsed.response = parser.response();
  parsed.problem = parser.problem();
  return parsed;
}

Parsed parse_whole(std::string_view bytes) {
  ResponseParser parser;
  const Progress progress = parser.take(bytes);
  BATON_ASSERT(parser.begun() == !bytes.empty());
  return finish(parser, progress);
}

Parsed parse_pieces(std::string_view bytes, std::uint8_t seed) {
  ResponseParser parser;
  Pieces pieces(bytes, seed);
  Progress progress = parser.take({});
  while (!pieces.ended() && progress != Progress::kBroken)
    progress = parser.take(pieces.next(bytes.size()));
  return finish(parser, progress);
}

void check_parser(std::uint8_t seed, std::string_view bytes) {
  const Parsed whole = parse_whole(bytes);
  const Parsed pieces = parse_pieces(bytes, seed);
  BATON_ASSERT(whole.progress == pieces.progress && whole.at_end == pieces.at_end);
  BATON_ASSERT(whole.problem == pieces.problem);
  if (whole.at_end != Progress::kDone) return;
  const Response& response = whole.response;
  BATON_ASSERT(response.status >= 200 && response.status <= 999);
  BATON_ASSERT(response.body.size() <= bytes.size());
  BATON_ASSERT(!response.retry_after || *response.retry_after >= Duration(0));
  BATON_ASSERT(response.status == pieces.response.status);
  BATON_ASSERT(response.body == pieces.response.body);
  BATON_ASSERT(response.content_type == pieces.response.content_type);
  BATON_ASSERT(response.keep_alive == pieces.response.keep_alive);
  BATON_ASSERT(response.retry_after == pieces.response.retry_after);
  // An answer that ends with the connection leaves none to be used again.
  if (whole.progress == Progress::kNeedsMore) BATON_ASSERT(!response.keep_alive);
}

// ---- What our server sends

void check_serialized(Draw draw) {
  http::Response sent;
  constexpr int kStatuses[] = {200, 201, 204, 304, 400, 404, 409, 429, 500, 503};
  sent.status = kStatuses[draw.below(std::size(kStatuses))];
  const auto framing = static_cast<http::Framing>(draw.below(3));
  const bool keep_alive = framing != http::Framing::kUntilClose && draw.below(2) == 0;
  const std::uint8_t seed = draw.byte();
  sent.content_type = draw.text();
  sent.fields.push_back({"X-Note", draw.text()});
  sent.body = draw.rest();
  std::string bytes;
  http::append_head(bytes, sent, {.framing = framing, .keep_alive = keep_alive});
  const bool has_body = http::has_body(sent.status);
  if (has_body && framing == http::Framing::kChunks) {
    for (Pieces pieces(sent.body, seed); !pieces.ended();)
      http::append_chunk(bytes, pieces.next(sent.body.size()));
    bytes += http::kLastChunk;
  } else if (has_body) {
    bytes += sent.body;
  }
  const Parsed parsed = parse_pieces(bytes, seed);
  BATON_ASSERT(parsed.at_end == Progress::kDone);
  BATON_ASSERT(parsed.response.status == sent.status);
  BATON_ASSERT(parsed.response.body == (has_body ? sent.body : std::string()));
  BATON_ASSERT(parsed.response.keep_alive == keep_alive);
  for (char& c : sent.content_type)
    if (!http::is_field_value(c)) c = ' ';
  BATON_ASSERT(parsed.response.content_type == http::trim(sent.content_type));
}

// ---- Readers of JSON

template <class T>
void check_understood(const Result<T>& result) {
  if (result) return;
  BATON_ASSERT(result.error().code == Code::kStoreUnavailable);
  BATON_ASSERT(result.error().message.starts_with("the server's answer is not understood: "));
}

void check_error(const Error& error) {
  BATON_ASSERT(static_cast<std::size_t>(error.code) < kNames<Code>.size());
  BATON_ASSERT(!error.message.empty());
  BATON_ASSERT(error.retry_after >= Duration(0) &&
               error.retry_after <= Duration(1'000'000'000'000));
}

void check_exchange(std::uint8_t calls, std::string_view text) {
  const auto answer = client::read_exchange(text, calls % 4);
  check_understood(answer);
  if (!answer) return;
  BATON_ASSERT(answer->results.size() == calls % 4);
  for (const auto& result : answer->results)
    if (!result) check_error(result.error());
  for (const Claimed& claimed : answer->executions)
    BATON_ASSERT(claimed.job.started_at.is_set());
  if (answer->claim_error) check_error(*answer->claim_error);
}

void check_problem(std::uint8_t seed, std::string_view text) {
  constexpr int kStatuses[] = {199, 302, 400, 401, 404, 408, 409, 413, 422, 429, 500, 503, 999};
  Response response{.status = kStatuses[seed % std::size(kStatuses)],
                    .content_type = seed < 200 ? "application/problem+json" : "text/html",
                    .body = std::string(text)};
  if (seed % 2 == 0) response.retry_after = Duration(3000);
  check_error(client::error_in(response));
}

void check_batch_results(std::string_view text) {
  const auto results = client::read_batch_results(text);
  check_understood(results);
  if (!results) return;
  for (const auto& result : *results)
    if (!result) check_error(result.error());
}

void check_queue(std::string_view text) {
  const auto queue = client::read_queue_answer(text);
  check_understood(queue);
  if (queue) BATON_ASSERT(queue->counts.size() == kNames<JobState>.size());
}

using Check = void (*)(std::uint8_t seed, std::string_view text);

template <auto kRead>
void check_reader(std::uint8_t /*seed*/, std::string_view text) {
  check_understood(kRead(text));
}

constexpr Check kChecks[] = {
    check_parser,
    [](std::uint8_t, std::string_view text) { check_serialized(Draw(text)); },
    check_exchange,
    check_problem,
    [](std::uint8_t, std::string_view text) { check_batch_results(text); },
    [](std::uint8_t, std::string_view text) { check_queue(text); },
    check_reader<client::read_bare_job>,
    check_reader<client::read_wrapped_job>,
    check_reader<client::read_submitted>,
    check_reader<client::read_job_page>,
    check_reader<client::read_history>,
    check_reader<client::read_executions>,
    check_reader<client::read_explanation_answer>,
    check_reader<client::read_queue_page>,
    check_reader<client::read_stats>,
    check_reader<client::read_account_answer>,
    check_reader<client::read_ledger_page>,
    check_reader<client::read_claims>,
};

}  // namespace
}  // namespace baton::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton::fuzz;
  Draw draw(view_of(data, size));
  const std::size_t which = draw.below(std::size(kChecks));
  const std::uint8_t seed = draw.byte();
  kChecks[which](seed, draw.rest());
  return 0;
}
