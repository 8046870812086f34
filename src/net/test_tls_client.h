// SPDX-License-Identifier: Apache-2.0
// For tests: a blocking TLS client, which trusts everybody.
#pragma once

#include <openssl/ssl.h>

#include <csignal>
#include <memory>
#include <string>
#include <string_view>

#include "net/test_client.h"

namespace varve::net {

class TestTlsClient {
 public:
  // With the certificate FILE.crt and FILE.key, if there is a name.
  explicit TestTlsClient(std::uint16_t port, const std::string& file = "", int version = TLS1_3_VERSION)
      : tcp_(port), context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free), ssl_(nullptr, SSL_free) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes into connections that are gone
    SSL_CTX_set_max_proto_version(context_.get(), version);
    SSL_CTX_set_min_proto_version(context_.get(), version);
    SSL_CTX_set_security_level(context_.get(), 0);
    if (!file.empty()) {
      SSL_CTX_use_certificate_file(context_.get(), (file + ".crt").c_str(), SSL_FILETYPE_PEM);
      SSL_CTX_use_PrivateKey_file(context_.get(), (file + ".key").c_str(), SSL_FILETYPE_PEM);
    }
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), tcp_.descriptor());
    connected_ = SSL_connect(ssl_.get()) == 1;
  }

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] TestClient& tcp() { return tcp_; }

  TestTlsClient& send(std::string_view bytes) {
    if (!bytes.empty()) SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    return *this;
  }
  void close_sending() { SSL_shutdown(ssl_.get()); }
  // Has the other side said that this is the end?
  bool ends_in_order() {
    char bytes[64];
    int n = 0;
    while ((n = SSL_read(ssl_.get(), bytes, sizeof bytes)) > 0) {
    }
    return SSL_get_error(ssl_.get(), n) == SSL_ERROR_ZERO_RETURN;
  }
  // Asks for new keys with the next bytes.
  void update_keys() { SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED); }

 private:
  TestClient tcp_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  bool connected_ = false;
};

}  // namespace varve::net
