// SPDX-License-Identifier: Apache-2.0
#include "net/tls_session.h"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <utility>

#include "net/tls_parts.h"

namespace varve::net {
namespace {

constexpr int kHandshakeRecord = 22;  // the first byte of all TLS

// The socket under a session. OpenSSL's own would raise SIGPIPE, and does not tell how a connection began.
struct Socket {
  int descriptor = -1;
  int first_byte = -1;
  bool ended = false;
};

bool comes_later(int error) { return error == EAGAIN || error == EINTR; }

Socket& socket_of(BIO* bio) { return *static_cast<Socket*>(BIO_get_data(bio)); }

int read_socket(BIO* bio, char* to, int size) {
  Socket& socket = socket_of(bio);
  BIO_clear_retry_flags(bio);
  const ssize_t n = ::recv(socket.descriptor, to, static_cast<std::size_t>(size), 0);
  if (n > 0) {
    if (socket.first_byte < 0) socket.first_byte = static_cast<unsigned char>(to[0]);
    return static_cast<int>(n);
  }
  if (n < 0 && comes_later(errno)) {
    BIO_set_retry_read(bio);
  } else {
    socket.ended = true;
  }
  return n == 0 ? 0 : -1;
}

int write_socket(BIO* bio, const char* from, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t n = ::send(socket_of(bio).descriptor, from, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (n < 0 && comes_later(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(n);
}

long control_socket(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return socket_of(bio).ended ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// Made once, and never freed: sessions may end when the process does.
BIO_METHOD* socket_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "varve socket");
    if (made == nullptr) throw std::bad_alloc();
    BIO_meth_set_read(made, read_socket);
    BIO_meth_set_write(made, write_socket);
    BIO_meth_set_ctrl(made, control_socket);
    return made;
  }();
  return method;
}

int as_int(std::size_t size) {
  return static_cast<int>(std::min(size, static_cast<std::size_t>(std::numeric_limits<int>::max())));
}

}  // namespace

struct TlsSession::State {
  std::shared_ptr<const TlsContext> context;
  Socket socket;
  std::unique_ptr<SSL, FreedBy<SSL_free>> ssl;
  TlsFailure failure = TlsFailure::other;
  bool read_blocked = false;  // the last read found nothing whole
  bool read_wants_write = false;
  bool write_wants_read = false;
  bool broken = false;  // nothing may be sent any more

  [[nodiscard]] TlsFailure reason() const;
};

TlsSession::TlsSession(std::shared_ptr<const TlsContext> context, int socket) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.context = std::move(context);
  s.socket.descriptor = socket;
  s.ssl.reset(SSL_new(s.context->state().context.get()));
  BIO* const bio = s.ssl == nullptr ? nullptr : BIO_new(socket_method());
  if (bio == nullptr) {
    ERR_clear_error();
    throw std::bad_alloc();
  }
  BIO_set_data(bio, &s.socket);
  BIO_set_init(bio, 1);
  SSL_set_bio(s.ssl.get(), bio, bio);  // which owns it now
  SSL_set_accept_state(s.ssl.get());
}

TlsSession::~TlsSession() = default;

TlsSession::Step TlsSession::handshake() {
  State& s = *state_;
  ERR_clear_error();
  const int done = SSL_do_handshake(s.ssl.get());
  if (done == 1) return Step::done;
  const int error = SSL_get_error(s.ssl.get(), done);
  if (error == SSL_ERROR_WANT_READ) return Step::wants_read;
  if (error == SSL_ERROR_WANT_WRITE) return Step::wants_write;
  s.broken = true;
  s.failure = s.reason();
  ERR_clear_error();
  return Step::failed;
}

TlsFailure TlsSession::State::reason() const {
  constexpr int kAlerts = SSL_AD_REASON_OFFSET;  // the other side's are numbered from here
  const int why = ERR_GET_REASON(ERR_peek_error());
  if (socket.first_byte >= 0 && socket.first_byte != kHandshakeRecord) return TlsFailure::not_tls;
  if (why == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE || why == SSL_R_CERTIFICATE_VERIFY_FAILED ||
      why == SSL_R_EXCESSIVE_MESSAGE_SIZE || SSL_get_verify_result(ssl.get()) != X509_V_OK) {
    return TlsFailure::certificate;
  }
  if (why > kAlerts && why < kAlerts + 256) return TlsFailure::alert;
  return socket.ended ? TlsFailure::closed : TlsFailure::other;
}

TlsFailure TlsSession::failure() const { return state_->failure; }

IoResult TlsSession::read_some(char* to, std::size_t size) {
  State& s = *state_;
  s.read_wants_write = s.read_blocked = false;
  IoResult out;
  while (out.bytes < size) {
    ERR_clear_error();
    const int n = SSL_read(s.ssl.get(), to + out.bytes, as_int(size - out.bytes));
    if (n > 0) {
      out.bytes += static_cast<std::size_t>(n);
      continue;
    }
    const int error = SSL_get_error(s.ssl.get(), n);
    s.read_wants_write = error == SSL_ERROR_WANT_WRITE;
    s.read_blocked = s.read_wants_write || error == SSL_ERROR_WANT_READ;
    out.blocked = s.read_blocked && out.bytes == 0;
    out.ended = !s.read_blocked;
    if (out.ended && error != SSL_ERROR_ZERO_RETURN) s.broken = true;
    ERR_clear_error();
    break;
  }
  return out;
}

IoResult TlsSession::write_some(std::string_view bytes) {
  State& s = *state_;
  s.write_wants_read = false;
  if (bytes.empty()) return {};
  ERR_clear_error();
  const int n = SSL_write(s.ssl.get(), bytes.data(), as_int(bytes.size()));
  if (n > 0) return {static_cast<std::size_t>(n), false, false};
  const int error = SSL_get_error(s.ssl.get(), n);
  ERR_clear_error();
  s.write_wants_read = error == SSL_ERROR_WANT_READ;
  if (s.write_wants_read || error == SSL_ERROR_WANT_WRITE) return {0, true, false};
  s.broken = true;
  return {0, false, true};
}

bool TlsSession::has_pending() const { return !state_->read_blocked && SSL_has_pending(state_->ssl.get()) == 1; }
bool TlsSession::read_wants_write() const { return state_->read_wants_write; }
bool TlsSession::write_wants_read() const { return state_->write_wants_read; }

void TlsSession::say_end() {
  if (state_->broken) return;
  ERR_clear_error();
  SSL_shutdown(state_->ssl.get());
  ERR_clear_error();
}

}  // namespace varve::net
