// SPDX-License-Identifier: Apache-2.0
// The only file that knows Asio: loops, sockets, the acceptor.
#ifdef __SANITIZE_THREAD__
// The sanitizer does not know fences; Asio's are not what we rely on: threads meet in mutexes here.
#define BOOST_ASIO_DISABLE_FENCED_BLOCK 1
#endif
#include "net/listener.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "base/thread_priority.h"
#include "net/loop.h"

namespace varve::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct Loop::Asio {
  asio::io_context context{1};  // 1: one thread runs it, so it takes no locks of its own
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  asio::steady_timer timer{context};
};

struct Stream::State {
  std::shared_ptr<Loop> loop;
  std::optional<tcp::socket> socket;
  std::int64_t deadline_ms = 0;  // of Loop::now_ms; 0: none
  bool read_wanted = false;
  bool write_wanted = false;
  bool open = false;
};

// ---- LiveCount

std::size_t LiveCount::add() { return count_.fetch_add(1, std::memory_order_relaxed) + 1; }

void LiveCount::remove() {
  const std::lock_guard lock(mutex_);
  if (count_.fetch_sub(1, std::memory_order_relaxed) == 1) none_.notify_all();
}

bool LiveCount::wait_none(std::chrono::milliseconds deadline) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, deadline, [this] { return value() == 0; });
}

// ---- Loop

namespace {
thread_local const Loop* current_loop = nullptr;

std::int64_t steady_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}
}  // namespace

Loop::Loop(LiveCount& live, std::chrono::milliseconds tick, std::vector<std::shared_ptr<Loop>> bulk,
           std::size_t first_bulk)
    : live_(&live),
      tick_(tick),
      bulk_(std::move(bulk)),
      asio_(std::make_unique<Asio>()),
      now_ms_(steady_ms()),
      next_bulk_(first_bulk) {}
Loop::~Loop() { check(!thread_.joinable(), "a loop is joined before it goes"); }

bool Loop::is_current() const { return current_loop == this; }

void Loop::start(Priority priority) {
  schedule_tick();
  thread_ = std::thread([this, priority] {
    if (priority == Priority::low) lower_thread_priority();
    current_loop = this;
    asio_->context.run();
    current_loop = nullptr;
  });
}

bool Loop::post(std::function<void()> fn) {
  const std::lock_guard lock(post_mutex_);
  if (ended_) return false;
  asio::post(asio_->context, std::move(fn));
  return true;
}

void Loop::schedule_tick() {
  asio_->timer.expires_after(tick_);
  asio_->timer.async_wait([this](error_code error) {
    if (!error) tick();
  });
}

void Loop::tick() {
  if (closing_) return;
  now_ms_ = steady_ms();
  std::vector<std::shared_ptr<Stream>> late;  // on_deadline() may close, which changes the set
  for (const auto& stream : streams_) {
    const std::int64_t deadline = stream->state_->deadline_ms;
    if (deadline != 0 && deadline <= now_ms_) late.push_back(stream);
  }
  for (const auto& stream : late) {
    stream->state_->deadline_ms = 0;
    if (stream->is_open()) stream->on_deadline();
  }
  schedule_tick();
}

void Loop::adopt(std::shared_ptr<Stream> stream) {
  streams_.insert(stream);
  if (closing_) return stream->close();
  stream->on_start();
  if (draining_ && stream->is_open()) stream->on_drain();
}

void Loop::forget(const std::shared_ptr<Stream>& stream) {
  streams_.erase(stream);
  live_->remove();
}

// The socket goes over as a bare descriptor: each loop has its own context, and a socket cannot change that.
bool Loop::move_to_bulk(const std::shared_ptr<Stream>& stream) {
  Stream::State& state = *stream->state_;
  if (bulk_.empty() || state.read_wanted || state.write_wanted || !stream->is_open()) return false;
  Loop& to = *bulk_[next_bulk_++ % bulk_.size()];
  error_code error;
  const auto endpoint = state.socket->local_endpoint(error);
  if (error) return false;
  const int socket = state.socket->release(error);
  if (error) return false;
  state.socket.reset();
  streams_.erase(stream);
  state.loop = to.shared_from_this();
  const bool is_v6 = endpoint.protocol() == tcp::v6();
  check(to.post([&to, stream, socket, is_v6] { to.settle_in(stream, socket, is_v6); }), "bulk loops end last");
  return true;
}

void Loop::settle_in(const std::shared_ptr<Stream>& stream, int socket, bool is_v6) {
  streams_.insert(stream);
  error_code error;
  stream->state_->socket.emplace(asio_->context);
  stream->state_->socket->assign(is_v6 ? tcp::v6() : tcp::v4(), socket, error);
  if (error) ::close(socket);
  if (error || closing_) return stream->close();
  if (draining_) stream->on_drain();
  if (stream->is_open()) stream->on_moved();
}

void Loop::each(void (*what)(Stream&)) {
  const std::vector<std::shared_ptr<Stream>> all(streams_.begin(), streams_.end());
  for (const auto& stream : all) {
    if (stream->is_open()) what(*stream);
  }
}

void Loop::drain() {
  post([this] {
    draining_ = true;
    each([](Stream& stream) { stream.on_drain(); });
  });
}

void Loop::join() {
  {
    const std::lock_guard lock(post_mutex_);
    if (ended_) return;
    ended_ = true;
    asio::post(asio_->context, [this] {
      closing_ = true;
      each([](Stream& stream) { stream.close(); });
      asio_->timer.cancel();
      asio_->work.reset();
    });
  }
  if (thread_.joinable()) thread_.join();
}

// ---- Stream

Stream::Stream() : state_(std::make_unique<State>()) {}
Stream::~Stream() = default;

bool Stream::on_loop_thread() const { return state_->loop->is_current(); }

bool Stream::dispatch(std::function<void()> fn) {
  if (on_loop_thread()) {
    fn();
    return true;
  }
  return state_->loop->post(std::move(fn));
}

IoResult Stream::read_some(char* to, std::size_t size) {
  if (!is_open()) return {0, false, true};
  error_code error;
  const std::size_t n = state_->socket->read_some(asio::buffer(to, size), error);
  if (error == asio::error::would_block || error == asio::error::try_again) return {0, true, false};
  return {n, false, static_cast<bool>(error)};
}

IoResult Stream::write_some(std::string_view first, std::string_view second) {
  if (!is_open()) return {0, false, true};
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
  state_->socket->async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code) {
    self->state_->read_wanted = false;
    if (self->is_open()) self->on_readable();
  });
}

void Stream::want_write() {
  if (state_->write_wanted || !is_open()) return;
  state_->write_wanted = true;
  state_->socket->async_wait(tcp::socket::wait_write, [self = shared_from_this()](error_code) {
    self->state_->write_wanted = false;
    if (self->is_open()) self->on_writable();
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
  error_code ignored;
  if (is_open()) state_->socket->shutdown(tcp::socket::shutdown_send, ignored);
}

void Stream::close() {
  if (!is_open()) return;
  const auto self = shared_from_this();
  state_->open = false;
  error_code ignored;
  state_->socket->close(ignored);
  on_close();
  state_->loop->forget(self);
}

// ---- Listener

namespace {

Result<tcp::endpoint> endpoint_of(const std::string& listen) {
  const auto colon = listen.rfind(':');
  if (colon == std::string::npos) return fail(Code::invalid, "'" + listen + "' is not address:port");
  std::string host = listen.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  std::uint16_t port = 0;
  const char* end = listen.data() + listen.size();
  const auto [stop, number_error] = std::from_chars(listen.data() + colon + 1, end, port);
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (error || number_error != std::errc() || stop != end) {
    return fail(Code::invalid, "'" + listen + "' is not address:port");
  }
  return tcp::endpoint(address, port);
}

}  // namespace

struct Listener::State {
  ListenerOptions options;
  Factory factory;
  LiveCount live;
  std::vector<std::shared_ptr<Loop>> loops;
  std::vector<std::shared_ptr<Loop>> bulk_loops;
  std::size_t next = 0;  // loop for the next connection; loop 0's thread, as is the acceptor
  std::optional<tcp::acceptor> acceptor;
  std::optional<asio::steady_timer> pause;
  std::uint16_t port = 0;

  Status listen() {
    VARVE_TRY(const tcp::endpoint endpoint, endpoint_of(options.listen));
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

  void accept() {
    Loop& loop = *loops[next++ % loops.size()];
    acceptor->async_accept(loop.asio().context, [this, &loop](error_code error, tcp::socket socket) {
      if (!acceptor->is_open()) return;
      if (!error) {
        take(loop, std::move(socket));
        return accept();
      }
      // Out of file descriptors, mostly: a pause, or this loop would do nothing else.
      log::warn("cannot accept a connection", {{"listen", options.listen}, {"error", error.message()}});
      pause->expires_after(std::chrono::milliseconds(100));
      pause->async_wait([this](error_code cancelled) {
        if (!cancelled && acceptor->is_open()) accept();
      });
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
    auto stream = factory();
    stream->state_->loop = loop.shared_from_this();
    stream->state_->socket.emplace(std::move(socket));
    stream->state_->open = true;
    if (!loop.post([&loop, stream] { loop.adopt(stream); })) live.remove();
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
  unsigned threads = s.options.threads;
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < s.options.bulk_threads; ++i) {
    s.bulk_loops.push_back(std::make_shared<Loop>(s.live, s.options.tick));
  }
  for (unsigned i = 0; i < threads; ++i) {
    s.loops.push_back(std::make_shared<Loop>(s.live, s.options.tick, s.bulk_loops, i));
  }
  if (Status listening = s.listen(); !listening) {
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
