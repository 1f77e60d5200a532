#include "client/http_connection.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <utility>

// An assertion in the parser of Boost 1.81 is wrong: it fails when the last chunk of an empty body
// comes in pieces (github.com/boostorg/beast/pull/2861). tests/fuzz/answers.cc fuzzes the parser
// with assertions off, as here.
#define BOOST_DISABLE_ASSERTS
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/string_body.hpp>

namespace baton::client {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Parser = http::response_parser<http::string_body>;

constexpr std::size_t kReadBytes = 16384;
constexpr std::uint32_t kMaxHead = 64U << 10;
// Beast has no limit for the extensions and trailers of chunks; this one bounds them.
constexpr std::size_t kMaxBuffered = std::size_t{128} << 10;
constexpr std::uint64_t kMaxBody = std::uint64_t{256} << 20;

Error unavailable(const std::string& message) {
  return {.code = Code::kStoreUnavailable, .message = message};
}

Error not_understood(const std::string& why) {
  return unavailable("the server's answer is not understood: " + why);
}

// What a wait that did not complete, or an operation that failed, says to the caller.
Error error_of(error_code code, const std::string& otherwise) {
  if (code == asio::error::operation_aborted)
    return {.code = Code::kShuttingDown, .message = "the call was interrupted"};
  if (code == asio::error::timed_out) return unavailable("the server did not answer in time");
  return unavailable(otherwise + ": " + code.message());
}

std::optional<Duration> retry_after(const Parser::value_type& answer) {
  const auto text = answer[http::field::retry_after];
  std::int64_t seconds = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // It may be a date, too; then the time is not known.
  const bool whole = end.ec == std::errc() && end.ptr == text.data() + text.size();
  if (!whole || seconds < 0 || seconds > 1'000'000'000) return std::nullopt;
  return std::chrono::seconds(seconds);
}

// The real answer follows, unless the server changes to another protocol.
bool is_interim(const Parser& parser) {
  const unsigned status = parser.get().result_int();
  return status >= 100 && status < 200 && status != 101;
}

// An answer without a length ends where the connection does, which is certain only when the server
// said that it closes.
bool has_certain_end(const Parser& parser) {
  const auto& answer = parser.get();
  return !parser.need_eof() || answer.version() == 10 ||
         http::token_list{answer[http::field::connection]}.exists("close");
}

class AsioConnection final : public HttpConnection {
 public:
  // Beast reads as much at once as the buffer can hold, and otherwise begins with 512 bytes.
  AsioConnection() { buffer_.reserve(kReadBytes); }

  Status connect(const Target& target, const std::stop_token& stop);
  Attempt send(const std::string& request, Deadline deadline, const std::stop_token& stop) override;
  bool reusable() override;

 private:
  using Tls = asio::ssl::stream<tcp::socket&>;

  // Starts an operation with `start(handler)` and waits for it. operation_aborted and timed_out
  // when it did not complete; then the connection is closed.
  template <class Start>
  error_code wait_for(Start start, Deadline deadline, const std::stop_token& stop);
  Status greet(const Target& target, const std::stop_token& stop);
  template <class Stream>
  Attempt send_on(Stream& stream, const std::string& request, Deadline deadline,
                  const std::stop_token& stop);
  Attempt answer_in(Parser& parser);

  asio::io_context io_{1};
  tcp::socket socket_{io_};
  std::shared_ptr<TlsContext> context_;  // outlives tls_
  std::optional<Tls> tls_;
  boost::beast::flat_buffer buffer_{kMaxBuffered};
  bool alive_ = true;
};

template <class Start>
error_code AsioConnection::wait_for(Start start, Deadline deadline, const std::stop_token& stop) {
  if (stop.stop_requested()) return asio::error::operation_aborted;
  error_code result;
  bool done = false;
  io_.restart();
  start([&](error_code code, auto&&...) {
    result = code;
    done = true;
  });
  {
    const std::stop_callback interrupted(stop, [this] { io_.stop(); });
    io_.run_for(std::chrono::milliseconds(deadline.left_ms()));
  }
  if (done) return result;
  // The operation refers to this frame: closing ends it, and running the rest lets it go.
  socket_.close(result);
  io_.restart();
  io_.run();
  if (stop.stop_requested()) return asio::error::operation_aborted;
  return asio::error::timed_out;
}

// ---- Connecting -------------------------------------------------------------------------------

Status AsioConnection::connect(const Target& target, const std::stop_token& stop) {
  const std::string where = "cannot connect to " + target.address.authority();
  error_code code;
  const auto endpoints = tcp::resolver(io_).resolve(target.address.host, target.address.port,
                                                    tcp::resolver::numeric_service, code);
  if (code) return unavailable(where + ": " + code.message());
  code = asio::error::host_not_found;
  for (const auto& each : endpoints) {
    const auto start = [&](auto handler) { socket_.async_connect(each.endpoint(), handler); };
    code = wait_for(start, Deadline::in(target.connect_timeout), stop);
    if (!code || code == asio::error::operation_aborted) break;
    error_code ignored;
    socket_.close(ignored);
  }
  if (code == asio::error::operation_aborted) return error_of(code, where);
  if (code) return unavailable(where + ": " + code.message());
  // Without these a call is only slower, and a dead server is noticed later.
  socket_.set_option(tcp::no_delay(true), code);
  socket_.set_option(asio::socket_base::keep_alive(true), code);
  socket_.non_blocking(true, code);
  return target.tls ? greet(target, stop) : Status(Ok{});
}

Status AsioConnection::greet(const Target& target, const std::stop_token& stop) {
  const std::string insecure = "no secure connection to the server";
  context_ = target.tls;
  SSL* const ssl = tls_.emplace(socket_, *context_).native_handle();
  const char* const host = target.address.host.c_str();
  error_code not_literal;
  asio::ip::make_address(target.address.host, not_literal);
  // The second is what the macro SSL_set_tlsext_host_name does, without its cast.
  const bool expected = !not_literal
                            ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
                            : SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                                       const_cast<char*>(host)) == 1 &&
                                  SSL_set1_host(ssl, host) == 1;
  if (!expected) return unavailable(insecure + ": its name cannot be checked");
  const auto start = [&](auto handler) { tls_->async_handshake(Tls::client, handler); };
  const error_code code = wait_for(start, Deadline::in(target.connect_timeout), stop);
  if (!code) return Ok{};
  const long verdict = SSL_get_verify_result(ssl);
  if (verdict != X509_V_OK)
    return unavailable(insecure + ": " + X509_verify_cert_error_string(verdict));
  return error_of(code, insecure);
}

// ---- A request and its answer -----------------------------------------------------------------

Attempt AsioConnection::send(const std::string& request, Deadline deadline,
                             const std::stop_token& stop) {
  return tls_ ? send_on(*tls_, request, deadline, stop) : send_on(socket_, request, deadline, stop);
}

template <class Stream>
Attempt AsioConnection::send_on(Stream& stream, const std::string& request, Deadline deadline,
                                const std::stop_token& stop) {
  alive_ = false;
  error_code sending;
  std::optional<Parser> parser;
  const auto read = [&](auto handler) {
    parser.emplace();
    parser->header_limit(kMaxHead);
    parser->body_limit(kMaxBody);
    http::async_read(stream, buffer_, *parser, handler);
  };
  const auto write_and_read = [&](auto handler) {
    asio::async_write(stream, asio::buffer(request), [&, handler](error_code code, std::size_t) {
      // A server that refuses a request early may close before it has read all of it. Its answer
      // may be there all the same.
      sending = code;
      read(handler);
    });
  };
  error_code code = wait_for(write_and_read, deadline, stop);
  while (!code && is_interim(*parser))
    code = wait_for(read, deadline, stop);
  if (!code) {
    Attempt answered = answer_in(*parser);
    alive_ = answered.response && !sending && parser->keep_alive();
    return answered;
  }
  const bool waited = code == asio::error::timed_out || code == asio::error::operation_aborted;
  if (waited) return {.error = error_of(code, {})};
  if (parser->got_some()) return {.error = not_understood(code.message())};
  if (code == http::error::end_of_stream && !sending)
    return {.error = unavailable("the server closed the connection without an answer"),
            .closed_unanswered = true};
  return {.error = error_of(sending ? sending : code, "the connection to the server broke"),
          .closed_unanswered = true};
}

Attempt AsioConnection::answer_in(Parser& parser) {
  if (parser.get().result_int() < 200)
    return {.error = not_understood("its status is " + std::to_string(parser.get().result_int()))};
  if (!has_certain_end(parser))
    return {.error = not_understood("the answer does not say how long it is")};
  if (buffer_.size() > 0) return {.error = not_understood("there is something after the answer")};
  auto& answer = parser.get();
  return {.response = HttpAnswer{.status = static_cast<int>(answer.result_int()),
                                 .content_type = std::string(answer[http::field::content_type]),
                                 .retry_after = retry_after(answer),
                                 .body = std::move(answer.body())}};
}

bool AsioConnection::reusable() {
  if (!alive_ || (tls_ && SSL_has_pending(tls_->native_handle()) == 1)) return false;
  char byte = 0;
  error_code code;
  socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, code);
  return code == asio::error::would_block;
}

}  // namespace

// ---- Making them ------------------------------------------------------------------------------

Result<std::shared_ptr<TlsContext>> make_tls_context(const std::string& ca_file) {
  const auto context = std::make_shared<TlsContext>(TlsContext::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  context->set_verify_mode(asio::ssl::verify_peer);
  error_code code;
  if (ca_file.empty()) {
    context->set_default_verify_paths(code);
  } else {
    context->load_verify_file(ca_file, code);
  }
  if (!code) return context;
  return Error{.code = Code::kBadRequest,
               .message = "the certificates in '" + ca_file + "' cannot be read: " + code.message(),
               .field = "ca_file"};
}

Result<std::unique_ptr<HttpConnection>> HttpConnection::open(const Target& target,
                                                             const std::stop_token& stop) try {
  auto connection = std::make_unique<AsioConnection>();
  if (const Status connected = connection->connect(target, stop); !connected)
    return connected.error();
  return Result<std::unique_ptr<HttpConnection>>(std::move(connection));
} catch (const boost::system::system_error& error) {
  // Asio throws when the process has no descriptor left for the connection's io_context.
  return unavailable("cannot connect to " + target.address.authority() + ": " + error.what());
}

}  // namespace baton::client
