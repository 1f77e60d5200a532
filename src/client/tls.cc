#include "client/tls.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <utility>

namespace baton::client {
namespace {

constexpr std::size_t kPiece = 16384;

bool is_literal(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

// What OpenSSL has to say, of the first thing that went wrong.
std::string reason() {
  const unsigned long number = ERR_get_error();
  ERR_clear_error();
  const char* text = number == 0 ? nullptr : ERR_reason_error_string(number);
  return text == nullptr ? "the connection broke" : text;
}

Error insecure(const std::string& why) {
  return {.code = Code::kStoreUnavailable, .message = "no secure connection to the server: " + why};
}

}  // namespace

// ---- Settings ---------------------------------------------------------------------------------

Result<std::shared_ptr<const TlsSettings>> TlsSettings::make(const std::string& ca_file) {
  const auto settings = std::make_shared<const TlsSettings>(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = settings->context();
  if (context == nullptr) return insecure(reason());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  const int loaded = ca_file.empty() ? SSL_CTX_set_default_verify_paths(context)
                                     : SSL_CTX_load_verify_file(context, ca_file.c_str());
  if (loaded == 1) return settings;
  return Error{.code = Code::kBadRequest,
               .message = "the certificates in '" + ca_file + "' cannot be read: " + reason(),
               .field = "ca_file"};
}

TlsSettings::~TlsSettings() { SSL_CTX_free(context_); }

// ---- A connection -----------------------------------------------------------------------------

// OpenSSL works on memory, and this class moves the bytes: so deadlines hold, and a server that
// went away is an error and no signal.
TlsStream::TlsStream(std::unique_ptr<Stream> inner, std::shared_ptr<const TlsSettings> settings)
    : inner_(std::move(inner)),
      settings_(std::move(settings)),
      ssl_(SSL_new(settings_->context())),
      incoming_(BIO_new(BIO_s_mem())),
      outgoing_(BIO_new(BIO_s_mem())) {
  SSL_set_bio(ssl_, incoming_, outgoing_);
  SSL_set_connect_state(ssl_);
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

Result<std::unique_ptr<TlsStream>> TlsStream::greet(std::unique_ptr<Stream> inner,
                                                    std::shared_ptr<const TlsSettings> settings,
                                                    const Address& address, Duration timeout) {
  auto stream = std::make_unique<TlsStream>(std::move(inner), std::move(settings));
  if (!stream->expect(address)) return insecure(reason());
  if (Status shaken = stream->shake_hands(Deadline::in(timeout)); !shaken) return shaken.error();
  return stream;
}

// Whose certificate it must be.
bool TlsStream::expect(const Address& address) {
  if (is_literal(address.host)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), address.host.c_str()) == 1;
  }
  // What the macro SSL_set_tlsext_host_name does, without its cast.
  return SSL_ctrl(ssl_, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  const_cast<char*>(address.host.c_str())) == 1 &&
         SSL_set1_host(ssl_, address.host.c_str()) == 1;
}

Status TlsStream::shake_hands(Deadline deadline) {
  const auto shaken = drive([this] { return SSL_do_handshake(ssl_); }, deadline);
  if (!shaken) {
    const long verdict = SSL_get_verify_result(ssl_);
    if (verdict != X509_V_OK) return insecure(X509_verify_cert_error_string(verdict));
    return shaken.error();
  }
  if (*shaken == 0) return insecure("the server ended it");
  return Ok{};
}

// Repeats a step of OpenSSL until it is done, moving bytes in and out as it asks for. 0 when the
// other side has ended.
template <class Step>
Result<std::size_t> TlsStream::drive(Step step, Deadline deadline) {
  while (true) {
    ERR_clear_error();
    const int done = step();
    const int error = SSL_get_error(ssl_, done);
    const std::string why = error == SSL_ERROR_SSL ? reason() : std::string();
    // Also after a failure: the other side is to know why.
    if (Status flushed = flush(deadline); !flushed) return flushed.error();
    if (done > 0) return static_cast<std::size_t>(done);
    if (error == SSL_ERROR_ZERO_RETURN) return std::size_t{0};
    if (error != SSL_ERROR_WANT_READ) return insecure(why.empty() ? "it broke" : why);
    const Result<std::size_t> filled = fill(deadline);
    if (!filled || *filled == 0) return filled;
  }
}

Status TlsStream::flush(Deadline deadline) {
  std::array<char, kPiece> bytes{};
  while (true) {
    const int count = BIO_read(outgoing_, bytes.data(), static_cast<int>(bytes.size()));
    if (count <= 0) return Ok{};
    const std::string_view piece(bytes.data(), static_cast<std::size_t>(count));
    if (Status sent = inner_->send(piece, deadline); !sent) return sent;
  }
}

Result<std::size_t> TlsStream::fill(Deadline deadline) {
  std::array<char, kPiece> bytes{};
  const Result<std::size_t> count = inner_->receive(bytes, deadline);
  if (count && *count > 0) BIO_write(incoming_, bytes.data(), static_cast<int>(*count));
  return count;
}

Status TlsStream::send(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    const Result<std::size_t> sent = drive(
        [&] { return SSL_write(ssl_, piece.data(), static_cast<int>(piece.size())); }, deadline);
    if (!sent) return sent.error();
    if (*sent == 0) return insecure("the server ended it");
    bytes.remove_prefix(*sent);
  }
  return Ok{};
}

Result<std::size_t> TlsStream::receive(std::span<char> into, Deadline deadline) {
  return drive([&] { return SSL_read(ssl_, into.data(), static_cast<int>(into.size())); },
               deadline);
}

bool TlsStream::quiet() {
  return SSL_pending(ssl_) == 0 && BIO_ctrl_pending(incoming_) == 0 && inner_->quiet();
}

}  // namespace baton::client
