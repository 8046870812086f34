// SPDX-License-Identifier: Apache-2.0
#include "net/stream.h"

#include <array>
#include <utility>

#include "base/guarded.h"
#include "net/asio_parts.h"
#include "net/endpoint.h"
#include "net/loop.h"

namespace varve::net {

Stream::Stream() : state_(std::make_unique<State>()) {}
Stream::~Stream() = default;

bool Stream::on_loop_thread() const { return state_->loop->is_current(); }

bool Stream::dispatch(std::function<void()> fn) {
  if (on_loop_thread()) {
    guard(fn);
    return true;
  }
  return after_others(std::move(fn));
}

bool Stream::after_others(std::function<void()> fn) {
  return state_->loop->post([self = shared_from_this(), fn = std::move(fn)] { self->guard(fn); });
}

void Stream::guard(const std::function<void()>& event) {
  const Status done = guarded(event);
  if (done) return;
  log_failure("a connection is closed, as work for it failed", done);
  close();
}

void Stream::begin() {
  if (state_->options->tls == nullptr) return on_start();
  state_->greeting = true;
  set_deadline(state_->options->handshake_timeout);
  greet_when(true);
}

// A connection that says nothing costs nothing: there is no session before it has sent something.
void Stream::greet() {
  if (state_->tls == nullptr) {
    state_->tls = std::make_unique<TlsSession>(state_->options->tls, state_->socket->native_handle());
  }
  const TlsSession::Step step = state_->tls->handshake();
  if (step == TlsSession::Step::failed) return refuse(state_->tls->failure());
  if (step == TlsSession::Step::done) {
    state_->greeting = false;
    clear_deadline();
    return on_start();
  }
  greet_when(step == TlsSession::Step::wants_read);
}

void Stream::greet_when(bool readable) {
  state_->socket->async_wait(readable ? tcp::socket::wait_read : tcp::socket::wait_write,
                             [self = shared_from_this()](error_code) {
                               if (self->is_open()) self->guard([&] { self->greet(); });
                             });
}

void Stream::refuse(TlsFailure failure) {
  state_->options->on_tls_failed(failure);
  close();
}

void Stream::drain() {
  if (state_->greeting) return close();
  on_drain();
}

void Stream::deadline_passed() {
  if (state_->greeting) return refuse(TlsFailure::timeout);
  on_deadline();
}

IoResult Stream::read_some(char* to, std::size_t size) {
  if (!is_open()) return {0, false, true};
  if (state_->tls != nullptr) return state_->tls->read_some(to, size);
  error_code error;
  const std::size_t n = state_->socket->read_some(asio::buffer(to, size), error);
  if (error == asio::error::would_block || error == asio::error::try_again) return {0, true, false};
  return {n, false, static_cast<bool>(error)};
}

IoResult Stream::write_some(std::string_view first, std::string_view second) {
  if (!is_open()) return {0, false, true};
  if (state_->tls != nullptr) return state_->tls->write_some(first.empty() ? second : first);
  error_code error;
  std::size_t n = 0;
  if (second.empty()) {
    n = state_->socket->write_some(asio::buffer(first.data(), first.size()), error);
  } else {
    const std::array<asio::const_buffer, 2> both{asio::buffer(first.data(), first.size()),
                                                 asio::buffer(second.data(), second.size())};
    n = state_->socket->write_some(both, error);
  }
  if (error == asio::error::would_block || error == asio::error::try_again) return {0, true, false};
  return {n, false, static_cast<bool>(error)};
}

bool Stream::peek_ended() {
  if (!is_open()) return true;
  char byte = 0;
  error_code error;
  state_->socket->receive(asio::buffer(&byte, 1), tcp::socket::message_peek, error);
  return error && error != asio::error::would_block && error != asio::error::try_again;
}

void Stream::want_read() {
  if (state_->read_wanted || !is_open()) return;
  state_->read_wanted = true;
  auto ready = [self = shared_from_this()](error_code) {
    self->state_->read_wanted = false;
    if (self->is_open()) self->guard([&] { self->on_readable(); });
  };
  const TlsSession* const tls = state_->tls.get();
  if (tls != nullptr && tls->has_pending()) {
    return asio::post(state_->socket->get_executor(), [ready = std::move(ready)] { ready({}); });
  }
  const bool turned = tls != nullptr && tls->read_wants_write();
  state_->socket->async_wait(turned ? tcp::socket::wait_write : tcp::socket::wait_read, std::move(ready));
}

void Stream::want_write() {
  if (state_->write_wanted || !is_open()) return;
  state_->write_wanted = true;
  const bool turned = state_->tls != nullptr && state_->tls->write_wants_read();
  state_->socket->async_wait(turned ? tcp::socket::wait_read : tcp::socket::wait_write,
                             [self = shared_from_this()](error_code) {
                               self->state_->write_wanted = false;
                               if (self->is_open()) self->guard([&] { self->on_writable(); });
                             });
}

bool Stream::move_to_bulk() { return state_->loop->move_to_bulk(shared_from_this()); }

bool Stream::read_wanted() const { return state_->read_wanted; }

void Stream::set_deadline(std::chrono::milliseconds from_now) {
  state_->deadline_ms = state_->loop->now_ms() + from_now.count();
}
void Stream::clear_deadline() { state_->deadline_ms = 0; }

bool Stream::is_open() const { return state_->open; }

void Stream::close_sending() {
  if (!is_open()) return;
  if (state_->tls != nullptr) state_->tls->say_end();
  error_code ignored;
  state_->socket->shutdown(tcp::socket::shutdown_send, ignored);
}

std::string Stream::peer_address() const {
  error_code error;
  const auto peer = is_open() ? state_->socket->remote_endpoint(error) : tcp::endpoint();
  return is_open() && !error ? address_text(peer.address()) : std::string();
}

void Stream::reset_on_close(bool on) {
  error_code ignored;
  state_->resets = on;
  if (is_open()) state_->socket->set_option(tcp::socket::linger(on, 0), ignored);
}

void Stream::close() {
  if (!is_open()) return;
  const auto self = shared_from_this();
  state_->open = false;
  if (state_->tls != nullptr && !state_->greeting && !state_->resets) state_->tls->say_end();
  error_code ignored;
  if (state_->socket) state_->socket->close(ignored);
  on_close();
  state_->loop->forget(self);
}

}  // namespace varve::net
