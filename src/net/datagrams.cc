// SPDX-License-Identifier: Apache-2.0
#include "net/datagrams.h"

#include <sys/socket.h>

#include <array>
#include <boost/asio/ip/udp.hpp>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "net/asio_parts.h"
#include "net/endpoint.h"
#include "net/loop.h"

namespace varve::net {
namespace {

using asio::ip::udp;

constexpr std::size_t kDatagramsMax = 32;                         // of one system call
constexpr std::size_t kDatagramBytesMax = std::size_t{64} << 10;  // UDP has no larger ones
constexpr std::chrono::milliseconds kFailurePause{50};

// The memory of one recvmmsg. What was not written to takes none.
class Received {
 public:
  std::span<const Datagram> from(int socket) {
    if (bytes_ == nullptr) bytes_ = std::make_unique_for_overwrite<char[]>(kDatagramsMax * kDatagramBytesMax);
    for (std::size_t i = 0; i < kDatagramsMax; ++i) {
      parts_[i] = {bytes_.get() + i * kDatagramBytesMax, kDatagramBytesMax};
      msghdr& header = headers_[i].msg_hdr;
      header.msg_name = &slots_[i].address;
      header.msg_namelen = sizeof slots_[i].address;
      header.msg_iov = &parts_[i];
      header.msg_iovlen = 1;
      header.msg_control = slots_[i].control.data();
      header.msg_controllen = slots_[i].control.size();
    }
    const int count = ::recvmmsg(socket, headers_.data(), kDatagramsMax, MSG_DONTWAIT, nullptr);
    if (count <= 0) return {};
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) take(i, headers_[i]);
    return {datagrams_.data(), static_cast<std::size_t>(count)};
  }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  struct Slot {
    sockaddr_storage address{};
    sockaddr_storage told{};  // whose text `sender` is
    std::string sender;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(std::uint32_t))> control{};
  };

  void take(std::size_t i, mmsghdr& header) {
    Slot& slot = slots_[i];
    if (slot.sender.empty() || std::memcmp(&slot.address, &slot.told, header.msg_hdr.msg_namelen) != 0) {
      udp::endpoint from;
      from.resize(header.msg_hdr.msg_namelen);
      std::memcpy(from.data(), &slot.address, header.msg_hdr.msg_namelen);
      slot.sender = address_text(from.address());
      slot.told = slot.address;
    }
    datagrams_[i] = {{bytes_.get() + i * kDatagramBytesMax, header.msg_len}, slot.sender};
    for (cmsghdr* c = CMSG_FIRSTHDR(&header.msg_hdr); c != nullptr; c = CMSG_NXTHDR(&header.msg_hdr, c)) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_RXQ_OVFL) continue;
      std::uint32_t so_far = 0;  // since the socket is there; it wraps
      std::memcpy(&so_far, CMSG_DATA(c), sizeof so_far);
      dropped_ += static_cast<std::uint32_t>(so_far - static_cast<std::uint32_t>(dropped_));
    }
  }

  std::unique_ptr<char[]> bytes_;
  std::array<mmsghdr, kDatagramsMax> headers_{};
  std::array<iovec, kDatagramsMax> parts_{};
  std::array<Slot, kDatagramsMax> slots_;
  std::array<Datagram, kDatagramsMax> datagrams_;
  std::uint64_t dropped_ = 0;
};

}  // namespace

struct Datagrams::State {
  DatagramOptions options;
  LiveCount live;
  std::shared_ptr<Loop> loop;  // stays: other threads may dispatch() at any time
  std::optional<udp::socket> socket;
  std::optional<asio::steady_timer> timer;
  std::uint16_t port = 0;
  Received received;
  bool read_wanted = false;
  bool finished = false;
  bool running = false;  // of the thread that starts and stops
};

Datagrams::Datagrams(DatagramOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}
Datagrams::~Datagrams() = default;

Status Datagrams::bind() {
  State& s = *state_;
  VARVE_ASSIGN_OR_RETURN(const Endpoint endpoint, endpoint_of(s.options.listen));
  const udp::endpoint at(endpoint.address, endpoint.port);
  s.loop = std::make_shared<Loop>(s.live, std::chrono::milliseconds(1000));
  s.socket.emplace(s.loop->asio().context);
  s.timer.emplace(s.loop->asio().context);
  error_code error;
  s.socket->open(at.protocol(), error);
  if (!error) s.socket->bind(at, error);
  if (!error) s.socket->non_blocking(true, error);
  if (error) {
    const Code code = error == asio::error::address_in_use ? Code::conflict : Code::io;
    return fail(code, "cannot listen on " + s.options.listen + " (udp): " + error.message());
  }
  const int handle = s.socket->native_handle();
  const int bytes = static_cast<int>(s.options.kernel_bytes);
  // The first is for those who may, beyond what the system allows others.
  if (::setsockopt(handle, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0) {
    ::setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
  const int on = 1;
  ::setsockopt(handle, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
  s.port = s.socket->local_endpoint().port();
  return {};
}

Status Datagrams::start() {
  State& s = *state_;
  Status bound = guarded([this] { return bind(); });
  if (!bound) {
    s.socket.reset();
    s.timer.reset();
    s.loop.reset();
    return bound;
  }
  s.running = true;
  s.live.add();
  s.loop->post([self = shared_from_this()] { self->guard([&] { self->on_start(); }); });
  s.loop->start(Loop::Priority::normal);
  return {};
}

std::uint16_t Datagrams::port() const { return state_->port; }

void Datagrams::stop(std::chrono::milliseconds deadline) {
  State& s = *state_;
  if (!std::exchange(s.running, false)) return;
  s.loop->post([self = shared_from_this()] { self->guard([&] { self->on_drain(); }); });
  if (!s.live.wait_none(deadline) && deadline.count() > 0) {
    log::warn("datagrams could not be stored in time", {{"listen", s.options.listen}});
  }
  s.loop->post([self = shared_from_this()] {
    error_code ignored;
    self->state_->socket->close(ignored);
    self->state_->timer->cancel();
  });
  s.loop->join();
}

bool Datagrams::dispatch(std::function<void()> fn) {
  if (state_->loop->is_current()) {
    guard(fn);
    return true;
  }
  return state_->loop->post([self = shared_from_this(), fn = std::move(fn)] { self->guard(fn); });
}

void Datagrams::guard(const std::function<void()>& event) {
  const Status done = guarded(event);
  if (done) return;
  log_failure("datagrams wait, as work for them failed", done);
  std::this_thread::sleep_for(kOutOfMemoryPause);
  wake_after(kFailurePause);
}

std::span<const Datagram> Datagrams::receive() {
  return state_->socket->is_open() ? state_->received.from(state_->socket->native_handle())
                                   : std::span<const Datagram>();
}
std::uint64_t Datagrams::dropped() const { return state_->received.dropped(); }

void Datagrams::want_read() {
  if (state_->read_wanted || !state_->socket->is_open()) return;
  state_->read_wanted = true;
  state_->socket->async_wait(udp::socket::wait_read, [self = shared_from_this()](error_code) {
    self->state_->read_wanted = false;
    if (self->state_->socket->is_open()) self->guard([&] { self->on_readable(); });
  });
}

void Datagrams::wake_after(std::chrono::milliseconds time) {
  if (!state_->socket->is_open()) return;
  state_->timer->expires_after(time);
  state_->timer->async_wait([self = shared_from_this()](error_code cancelled) {
    if (!cancelled && self->state_->socket->is_open()) self->guard([&] { self->on_wake(); });
  });
}

void Datagrams::finished() {
  if (!std::exchange(state_->finished, true)) state_->live.remove();
}

}  // namespace varve::net
