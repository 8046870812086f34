// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/x509.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "base/log.h"
#include "net/tls_parts.h"

namespace varve::net {
namespace {

// Of the certificates that a client shows.
constexpr long kClientChainBytesMax = 64L << 10;

// The last error of OpenSSL, which forgets it.
std::string ssl_error() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "it is not understood";
}

// OpenSSL's words for a file that is not there are no help.
Status check_readable(const char* what, const std::string& path) {
  const std::string named = std::string(what) + "=" + path;
  if (path.empty()) return fail(Code::invalid, named + ": the name of a PEM file is missing");
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return fail(Code::io, named + ": cannot be read: " + std::strerror(errno));
  const int first = std::fgetc(file);
  const int error = errno;
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) return fail(Code::io, named + ": cannot be read: " + std::strerror(error));
  if (first == EOF) return fail(Code::invalid, named + ": is empty");
  return {};
}

std::unexpected<Error> bad(const char* what, const std::string& path, const std::string& why) {
  return fail(Code::invalid, std::string(what) + "=" + path + ": " + why);
}

Status take_certificate(SSL_CTX* context, const std::string& path) {
  VARVE_RETURN_IF_ERROR(check_readable("certificate", path));
  if (SSL_CTX_use_certificate_chain_file(context, path.c_str()) != 1) {
    return bad("certificate", path, "is not a certificate in PEM: " + ssl_error());
  }
  const X509* const own = SSL_CTX_get0_certificate(context);
  if (X509_cmp_current_time(X509_get0_notAfter(own)) < 0) {
    log::warn("the certificate has expired", {{"file", path}});
  }
  return {};
}

Status take_key(SSL_CTX* context, const TlsFiles& files) {
  VARVE_RETURN_IF_ERROR(check_readable("key", files.key));
  // Nobody is there to type the password of a key.
  SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) == 1) return {};
  if (ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH ||
      ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_TYPE_MISMATCH) {
    ERR_clear_error();
    return bad("key", files.key, "does not belong to certificate=" + files.certificate);
  }
  return bad("key", files.key, "is not a private key in PEM without a password: " + ssl_error());
}

Status take_client_ca(SSL_CTX* context, const std::string& path) {
  if (path.empty()) return {};
  VARVE_RETURN_IF_ERROR(check_readable("client_ca", path));
  STACK_OF(X509_NAME)* const names = SSL_load_client_CA_file(path.c_str());
  if (names == nullptr || SSL_CTX_load_verify_file(context, path.c_str()) != 1) {
    if (names != nullptr) sk_X509_NAME_pop_free(names, X509_NAME_free);
    return bad("client_ca", path, "has no certificates in PEM: " + ssl_error());
  }
  SSL_CTX_set_client_CA_list(context, names);  // which is its own now
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return {};
}

// What a client can make us keep or do is bounded: no sessions, no second handshake, buffers only while they are full.
void set_bounds(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_max_cert_list(context, kClientChainBytesMax);
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);  // one system call for many small records
}

}  // namespace

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::load(const TlsFiles& files) {
  ERR_clear_error();
  auto state = std::make_unique<State>();
  state->context.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* const context = state->context.get();
  if (context == nullptr) return fail(Code::io, "OpenSSL cannot be used: " + ssl_error());
  set_bounds(context);
  VARVE_RETURN_IF_ERROR(take_certificate(context, files.certificate));
  VARVE_RETURN_IF_ERROR(take_key(context, files));
  VARVE_RETURN_IF_ERROR(take_client_ca(context, files.client_ca));
  return std::make_shared<const TlsContext>(std::move(state));
}

}  // namespace varve::net
