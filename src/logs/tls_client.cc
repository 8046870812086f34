// SPDX-License-Identifier: Apache-2.0
#include "logs/tls_client.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>

namespace varve::logs {
namespace {

template <auto release>
struct Release {
  template <class T>
  void operator()(T* t) const {
    release(t);
  }
};

std::string reason() {
  const unsigned long code = ::ERR_get_error();
  ::ERR_clear_error();
  const char* const text = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  return text == nullptr ? "it ended the handshake" : text;
}

bool is_address(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace

struct TlsClient::Parts {
  std::unique_ptr<SSL_CTX, Release<SSL_CTX_free>> context;
  std::unique_ptr<SSL, Release<SSL_free>> ssl;
  BIO *in = nullptr, *out = nullptr;  // of ssl
};

TlsClient::TlsClient() : parts_(std::make_unique<Parts>()) {}
TlsClient::~TlsClient() = default;

Status TlsClient::open(const std::string& host, const std::string& ca) {
  Parts& p = *parts_;
  p.context.reset(::SSL_CTX_new(::TLS_client_method()));
  if (p.context == nullptr) return fail(Code::io, "TLS cannot be used here: " + reason());
  ::SSL_CTX_set_min_proto_version(p.context.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_verify(p.context.get(), SSL_VERIFY_PEER, nullptr);
  const int known = ca.empty() ? ::SSL_CTX_set_default_verify_paths(p.context.get())
                               : ::SSL_CTX_load_verify_file(p.context.get(), ca.c_str());
  if (known != 1) return fail(Code::io, "--ca: " + ca + ": this is not a PEM file of certificates: " + reason());
  p.ssl.reset(::SSL_new(p.context.get()));
  p.in = ::BIO_new(::BIO_s_mem());
  p.out = ::BIO_new(::BIO_s_mem());
  if (p.ssl == nullptr || p.in == nullptr || p.out == nullptr)
    return fail(Code::io, "TLS cannot be used here: " + reason());
  ::SSL_set_bio(p.ssl.get(), p.in, p.out);
  ::SSL_set_connect_state(p.ssl.get());
  if (is_address(host)) {
    ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(p.ssl.get()), host.c_str());
  } else {
    // As SSL_set_tlsext_host_name does, a macro with a cast of C.
    ::SSL_ctrl(p.ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, const_cast<char*>(host.c_str()));
    ::SSL_set1_host(p.ssl.get(), host.c_str());
  }
  return {};
}

Result<bool> TlsClient::shake() {
  ::ERR_clear_error();
  const int done = ::SSL_do_handshake(parts_->ssl.get());
  if (done == 1) return true;
  if (::SSL_get_error(parts_->ssl.get(), done) == SSL_ERROR_WANT_READ) return false;
  if (const long verified = ::SSL_get_verify_result(parts_->ssl.get()); verified != X509_V_OK) {
    return fail(Code::invalid, std::string("its certificate is not good: ") +
                                   ::X509_verify_cert_error_string(verified) +
                                   "; --ca names a file of those that vouch for it");
  }
  return fail(Code::invalid, "it does not speak TLS: " + reason());
}

std::string TlsClient::take_outgoing() {
  std::string out(::BIO_ctrl_pending(parts_->out), '\0');
  if (!out.empty()) ::BIO_read(parts_->out, out.data(), static_cast<int>(out.size()));
  return out;
}

void TlsClient::put_incoming(std::string_view bytes) {
  ::BIO_write(parts_->in, bytes.data(), static_cast<int>(bytes.size()));
}

Status TlsClient::write(std::string_view plain) {
  while (!plain.empty()) {
    constexpr std::size_t kAtOnce = 1UL << 20;
    const std::string_view piece = plain.substr(0, kAtOnce);
    ::ERR_clear_error();
    const int n = ::SSL_write(parts_->ssl.get(), piece.data(), static_cast<int>(piece.size()));
    if (n <= 0) return fail(Code::io, "TLS: " + reason());
    plain.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<bool> TlsClient::read(std::string& plain) {
  std::array<char, 16UL << 10> piece;
  for (;;) {
    ::ERR_clear_error();
    const int n = ::SSL_read(parts_->ssl.get(), piece.data(), static_cast<int>(piece.size()));
    if (n > 0) {
      plain.append(piece.data(), static_cast<std::size_t>(n));
      continue;
    }
    const int error = ::SSL_get_error(parts_->ssl.get(), n);
    if (error == SSL_ERROR_WANT_READ) return true;
    if (error == SSL_ERROR_ZERO_RETURN) return false;
    return fail(Code::io, "TLS: " + reason());
  }
}

}  // namespace varve::logs
