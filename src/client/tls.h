// Encrypted connections: what is trusted, once for all connections of a client, and a connection on
// top of a socket. The server must prove that it is who its URL says, by a certificate.
#pragma once

#include <memory>
#include <string>

#include "client/address.h"
#include "client/stream.h"

struct ssl_ctx_st;
struct ssl_st;
struct bio_st;

namespace baton::client {

// Any thread, once it is made.
class TlsSettings {
 public:
  // Trusts the authorities in a PEM file; with no file, those of the system, or those that the
  // variable SSL_CERT_FILE names. bad_request with the field "ca_file" when it cannot be read.
  static Result<std::shared_ptr<const TlsSettings>> make(const std::string& ca_file);

  explicit TlsSettings(ssl_ctx_st* context) : context_(context) {}
  ~TlsSettings();
  TlsSettings(const TlsSettings&) = delete;
  TlsSettings& operator=(const TlsSettings&) = delete;

  ssl_ctx_st* context() const { return context_; }

 private:
  ssl_ctx_st* context_;
};

// One thread at a time, as every Stream.
class TlsStream final : public Stream {
 public:
  // Greets the server on a connection that is open, within `timeout`. store_unavailable when the
  // server is not who it should be, or does not speak TLS.
  static Result<std::unique_ptr<TlsStream>> greet(std::unique_ptr<Stream> inner,
                                                  std::shared_ptr<const TlsSettings> settings,
                                                  const Address& address, Duration timeout);

  TlsStream(std::unique_ptr<Stream> inner, std::shared_ptr<const TlsSettings> settings);
  ~TlsStream() override;
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  Status send(std::string_view bytes, Deadline deadline) override;
  Result<std::size_t> receive(std::span<char> into, Deadline deadline) override;
  bool quiet() override;
  int descriptor() const override { return inner_->descriptor(); }

 private:
  bool expect(const Address& address);
  Status shake_hands(Deadline deadline);
  template <class Step>
  Result<std::size_t> drive(Step step, Deadline deadline);
  Status flush(Deadline deadline);
  Result<std::size_t> fill(Deadline deadline);

  std::unique_ptr<Stream> inner_;
  std::shared_ptr<const TlsSettings> settings_;
  ssl_st* ssl_;
  bio_st* incoming_;  // both belong to ssl_
  bio_st* outgoing_;
};

}  // namespace baton::client
