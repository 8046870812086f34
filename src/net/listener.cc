// SPDX-License-Identifier: Apache-2.0
#include "net/listener.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "net/asio_parts.h"
#include "net/endpoint.h"
#include "net/loop.h"

namespace varve::net {

struct Listener::State {
  static constexpr std::chrono::seconds kTellPause{10};

  ListenerOptions options;
  Factory factory;
  LiveCount live;
  std::vector<std::shared_ptr<Loop>> loops;
  std::vector<std::shared_ptr<Loop>> bulk_loops;
  std::size_t next = 0;  // loop for the next connection; loop 0's thread, as is the acceptor
  std::optional<tcp::acceptor> acceptor;
  std::optional<asio::steady_timer> pause;
  std::optional<std::chrono::steady_clock::time_point> told;  // of the same thread, as is the next one
  std::uint64_t refused = 0;                                  // since then
  std::uint16_t port = 0;

  // Each takes descriptors. Throws where there are none.
  void make_loops() {
    const unsigned threads = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < options.bulk_threads; ++i) {
      bulk_loops.push_back(std::make_shared<Loop>(live, options.tick));
    }
    for (unsigned i = 0; i < threads; ++i) {
      loops.push_back(std::make_shared<Loop>(live, options.tick, bulk_loops, i));
    }
  }

  Status listen() {
    VARVE_ASSIGN_OR_RETURN(const Endpoint at, endpoint_of(options.listen));
    const tcp::endpoint endpoint(at.address, at.port);
    error_code error;
    acceptor.emplace(loops[0]->asio().context);
    pause.emplace(loops[0]->asio().context);
    acceptor->open(endpoint.protocol(), error);
    if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor->bind(endpoint, error);
    if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      const Code code = error == asio::error::address_in_use ? Code::conflict : Code::io;
      return fail(code, "cannot listen on " + options.listen + ": " + error.message());
    }
    port = acceptor->local_endpoint().port();
    return {};
  }

  // Also where there is no memory for it now: a listener that has stopped accepting does not begin again.
  void accept() {
    while (!guarded([this] { begin_accept(); })) std::this_thread::sleep_for(kOutOfMemoryPause);
  }

  void begin_accept() {
    Loop& loop = *loops[next++ % loops.size()];
    acceptor->async_accept(loop.asio().context, [this, &loop](error_code error, tcp::socket socket) {
      if (!acceptor->is_open()) return;
      if (!error) {
        take(loop, std::move(socket));
        return accept();
      }
      // Out of file descriptors, mostly: a pause, or this loop would do nothing else.
      const Status pausing = guarded([&] {
        tell_refused(error);
        accept_after(std::chrono::milliseconds(100));
      });
      if (!pausing) accept();
    });
  }

  // It fails ten times a second then, and is told once in ten.
  void tell_refused(const error_code& error) {
    ++refused;
    const auto now = std::chrono::steady_clock::now();
    if (told && now - *told < kTellPause) return;
    told = now;
    const bool descriptors = error == asio::error::no_descriptors;
    log::warn(descriptors ? "cannot accept a connection: LimitNOFILE of the unit, or ulimit -n, is too low"
                          : "cannot accept a connection",
              {{"listen", options.listen}, {"error", error.message()}, {"times", std::exchange(refused, 0)}});
  }

  void accept_after(std::chrono::milliseconds time) {
    pause->expires_after(time);
    pause->async_wait([this](error_code cancelled) {
      if (!cancelled && acceptor->is_open()) accept();
    });
  }

  void take(Loop& loop, tcp::socket socket) {
    if (live.add() > options.connections_max) {
      live.remove();
      options.on_refused();
      return;  // the socket closes itself
    }
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.set_option(tcp::no_delay(true), ignored);
    if (options.keep_alive) socket.set_option(tcp::socket::keep_alive(true), ignored);
    const auto given = guarded([&]() -> Result<bool> {
      auto stream = factory();
      stream->state_->loop = loop.shared_from_this();
      stream->state_->options = &options;
      stream->state_->socket.emplace(std::move(socket));
      stream->state_->open = true;
      return loop.post([&loop, stream] { loop.adopt(stream); });
    });
    if (!given || !*given) live.remove();
  }

  void close_acceptor() {
    loops[0]->post([this] {
      error_code ignored;
      acceptor->close(ignored);
      pause->cancel();
    });
  }
};

Listener::Listener(ListenerOptions options, Factory factory) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->factory = std::move(factory);
}

Listener::~Listener() { stop(std::chrono::milliseconds(0)); }

Status Listener::start() {
  State& s = *state_;
  Status listening = guarded([&] {
    s.make_loops();
    return s.listen();
  });
  if (!listening) {
    s.acceptor.reset();
    s.pause.reset();
    s.loops.clear();
    s.bulk_loops.clear();
    return listening;
  }
  s.accept();
  for (const auto& loop : s.loops) loop->start(Loop::Priority::normal);
  for (const auto& loop : s.bulk_loops) loop->start(Loop::Priority::low);
  return {};
}

std::uint16_t Listener::port() const { return state_->port; }
std::size_t Listener::connections() const { return state_->live.value(); }

void Listener::stop(std::chrono::milliseconds deadline) {
  State& s = *state_;
  if (s.loops.empty()) return;
  s.close_acceptor();
  for (const auto& loop : s.loops) loop->drain();
  for (const auto& loop : s.bulk_loops) loop->drain();
  if (!s.live.wait_none(deadline) && deadline.count() > 0) {
    log::warn("closing connections that did not finish in time",
              {{"listen", s.options.listen}, {"connections", s.live.value()}});
  }
  for (const auto& loop : s.loops) loop->join();
  for (const auto& loop : s.bulk_loops) loop->join();  // after those that move streams to them
  s.acceptor.reset();
  s.pause.reset();
  s.loops.clear();
  s.bulk_loops.clear();
}

}  // namespace varve::net
