// Answers as a server, or something in its place, sends them. The first byte chooses: the parser
// that the client uses, which must not care how the bytes were cut; one of the readers of JSON,
// which must take the answer or say that it is not understood; the problem documents; and the way
// from the server's own serializer through the parser, on which nothing may be lost.
#define BOOST_DISABLE_ASSERTS  // as in src/client/http_connection.cc
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>

#include "base/assert.h"
#include "client/answers.h"
#include "client/read_error.h"
#include "client/response.h"
#include "draw.h"
#include "http/ascii.h"
#include "http/serialize.h"

namespace baton::fuzz {
namespace {

using client::HttpAnswer;
using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

// ---- The parser

// False when the bytes are no whole answer.
bool parse(Parser& parser, std::string_view bytes, auto next_piece) {
  parser.header_limit(64U << 10U);
  parser.body_limit(1U << 20U);
  parser.eager(true);
  boost::system::error_code code;
  std::string arrived;
  while (!bytes.empty() && !parser.is_done()) {
    const std::string_view piece = next_piece(bytes);
    bytes.remove_prefix(piece.size());
    arrived += piece;
    arrived.erase(0, parser.put(boost::asio::buffer(arrived), code));
    if (code && code != boost::beast::http::error::need_more) return false;
  }
  if (!parser.got_some()) return false;
  code = {};
  if (!parser.is_done()) parser.put_eof(code);
  return !code;
}

bool parse_whole(Parser& parser, std::string_view bytes) {
  return parse(parser, bytes, [](std::string_view left) { return left; });
}

bool parse_pieces(Parser& parser, std::string_view bytes, std::uint8_t seed) {
  Pieces pieces(bytes, seed);
  return parse(parser, bytes, [&](std::string_view left) { return pieces.next(left.size()); });
}

void check_parser(std::uint8_t seed, std::string_view bytes) {
  Parser whole;
  Parser pieces;
  const bool parsed = parse_whole(whole, bytes);
  BATON_ASSERT(parsed == parse_pieces(pieces, bytes, seed));
  if (!parsed) return;
  BATON_ASSERT(whole.get().result_int() == pieces.get().result_int());
  BATON_ASSERT(whole.get().body() == pieces.get().body());
  BATON_ASSERT(whole.keep_alive() == pieces.keep_alive());
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
  Parser parser;
  BATON_ASSERT(parse_pieces(parser, bytes, seed));
  BATON_ASSERT(static_cast<int>(parser.get().result_int()) == sent.status);
  BATON_ASSERT(parser.get().body() == (has_body ? sent.body : std::string()));
  BATON_ASSERT(parser.keep_alive() == keep_alive);
  for (char& c : sent.content_type)
    if (!http::is_field_value(c)) c = ' ';
  const auto type = parser.get()[boost::beast::http::field::content_type];
  BATON_ASSERT(std::string_view(type.data(), type.size()) == http::trim(sent.content_type));
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
