#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "base/temporary_directory.h"
#include "http/testing.h"

namespace baton::http {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(std::FILE* file) const { std::fclose(file); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

// A key and a certificate for "localhost" that it signs itself, as files.
ServerOptions with_certificate(const std::string& directory) {
  ServerOptions options;
  options.certificate_file = directory + "/certificate.pem";
  options.key_file = directory + "/key.pem";
  const Owned<EVP_PKEY> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  const Owned<X509> certificate(X509_new());
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  const std::string host = "localhost";
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(host.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  const Owned<std::FILE> certificate_file(std::fopen(options.certificate_file.c_str(), "w"));
  PEM_write_X509(certificate_file.get(), certificate.get());
  const Owned<std::FILE> key_file(std::fopen(options.key_file.c_str(), "w"));
  PEM_write_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return options;
}

class TlsClient {
 public:
  explicit TlsClient(const TestServer& server, const std::string& certificate_file)
      : client_(server.port()), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_load_verify_file(context_.get(), certificate_file.c_str());
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), client_.descriptor());
  }
  bool connect() { return SSL_connect(ssl_.get()) == 1; }
  void send(const std::string& bytes) {
    EXPECT_EQ(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())),
              static_cast<int>(bytes.size()));
  }
  std::string read_to_end() {
    std::string out;
    char bytes[16384];
    int count = 0;
    while ((count = SSL_read(ssl_.get(), bytes, sizeof(bytes))) > 0)
      out.append(bytes, static_cast<std::size_t>(count));
    EXPECT_EQ(SSL_get_error(ssl_.get(), count), SSL_ERROR_ZERO_RETURN);
    return out;
  }
  void limit_version(int version) { SSL_set_max_proto_version(ssl_.get(), version); }

 private:
  RawClient client_;
  Owned<SSL_CTX> context_;
  Owned<SSL> ssl_;
};

TEST(Tls, CarriesTheSameRequests) {
  const base::TemporaryDirectory directory;
  const ServerOptions options = with_certificate(directory.path());
  TestServer server(options);
  TlsClient client(server, options.certificate_file);
  ASSERT_TRUE(client.connect());
  client.send(get("/a") + get("/big?1000000") + get("/hold", "Connection: close\r\n"));
  const TestHandler::Held held = server.handler.take("/hold");
  held.responder.send(Response{.body = "the end"});
  const std::string all = client.read_to_end();
  EXPECT_GT(all.size(), 1'000'000U);
  EXPECT_NE(all.find("GET /a "), std::string::npos);
  EXPECT_TRUE(all.ends_with("\r\n\r\nthe end"));
}

TEST(Tls, EndsAHandshakeThatDoesNotComeToItsEnd) {
  const base::TemporaryDirectory directory;
  ServerOptions options = with_certificate(directory.path());
  options.header_timeout = base::milliseconds(40);
  TestServer server(options);
  RawClient silent(server.port());
  EXPECT_EQ(silent.read_to_end(), "");
  RawClient plain(server.port());
  plain.send(get("/a"));
  plain.read_to_end();
  EXPECT_EQ(server.server->stats().requests, 0U);
}

TEST(Tls, RefusesOldVersions) {
  const base::TemporaryDirectory directory;
  const ServerOptions options = with_certificate(directory.path());
  TestServer server(options);
  for (const int version : {TLS1_1_VERSION, TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(server, options.certificate_file);
    client.limit_version(version);
    EXPECT_EQ(client.connect(), version != TLS1_1_VERSION);
  }
}

TEST(Tls, SaysWhichFileCannotBeUsed) {
  const base::TemporaryDirectory directory;
  const ServerOptions good = with_certificate(directory.path());
  TestHandler handler;
  ServerOptions options = good;
  options.certificate_file += ".none";
  EXPECT_EQ(HttpServer::start(options, handler).error().field, "certificate_file");
  options = good;
  options.key_file = good.certificate_file;
  EXPECT_EQ(HttpServer::start(options, handler).error().field, "key_file");
  options = good;
  options.key_file.clear();
  EXPECT_EQ(HttpServer::start(options, handler).error().field, "certificate_file");
}

}  // namespace
}  // namespace baton::http
