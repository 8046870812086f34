// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include <unistd.h>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/guarded.h"
#include "base/thread_priority.h"
#include "net/asio_parts.h"

namespace varve::net {

std::size_t LiveCount::add() { return count_.fetch_add(1, std::memory_order_relaxed) + 1; }

void LiveCount::remove() {
  const MutexLock lock(mutex_);
  if (count_.fetch_sub(1, std::memory_order_relaxed) == 1) none_.notify_all();
}

bool LiveCount::wait_none(std::chrono::milliseconds deadline) {
  const MutexLock lock(mutex_);
  const auto until = std::chrono::steady_clock::now() + deadline;
  while (value() > 0) {
    if (none_.wait_until(mutex_, until) == std::cv_status::timeout) return value() == 0;
  }
  return true;
}

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
    run();
    current_loop = nullptr;
  });
}

// Streams guard their own events. What is left (accepting, the tick) may want memory, too, and goes on when it is
// there.
void Loop::run() {
  for (;;) {
    const Status ran = guarded([this] {
      if (!tick_scheduled_) schedule_tick();
      asio_->context.run();
    });
    if (ran) return;
    log_failure("an event loop goes on after a failure", ran);
    std::this_thread::sleep_for(kOutOfMemoryPause);
  }
}

bool Loop::post(std::function<void()> fn) {
  const MutexLock lock(post_mutex_);
  if (ended_) return false;
  asio::post(asio_->context, std::move(fn));
  return true;
}

void Loop::schedule_tick() {
  if (closing_) return;
  asio_->timer.expires_after(tick_);
  tick_scheduled_ = false;
  asio_->timer.async_wait([this](error_code error) {
    if (error) return;
    tick_scheduled_ = false;
    tick();
  });
  tick_scheduled_ = true;
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
    if (stream->is_open()) stream->guard([&] { stream->deadline_passed(); });
  }
  schedule_tick();
}

void Loop::adopt(std::shared_ptr<Stream> stream) {
  if (!guarded([&] { streams_.insert(stream); }) || closing_) return stream->close();
  stream->guard([&] {
    stream->begin();
    if (draining_ && stream->is_open()) stream->drain();
  });
}

void Loop::forget(const std::shared_ptr<Stream>& stream) {
  streams_.erase(stream);
  live_->remove();
}

// The socket goes over as a bare descriptor: each loop has its own context, and a socket cannot change that.
bool Loop::move_to_bulk(const std::shared_ptr<Stream>& stream) {
  Stream::State& state = *stream->state_;
  if (bulk_.empty() || state.tls != nullptr || state.read_wanted || state.write_wanted || !stream->is_open())
    return false;
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
  const Status posted = guarded([&] {
    check(to.post([&to, stream, socket, is_v6] { to.settle_in(stream, socket, is_v6); }), "bulk loops end last");
  });
  if (posted) return true;
  ::close(socket);
  stream->close();
  return true;
}

void Loop::settle_in(const std::shared_ptr<Stream>& stream, int socket, bool is_v6) {
  error_code error;
  const Status assigned = guarded([&] {
    streams_.insert(stream);
    stream->state_->socket.emplace(asio_->context);
    stream->state_->socket->assign(is_v6 ? tcp::v6() : tcp::v4(), socket, error);
  });
  if (!assigned || error) ::close(socket);
  if (!assigned || error || closing_) return stream->close();
  stream->guard([&] {
    if (draining_) stream->on_drain();
    if (stream->is_open()) stream->on_moved();
  });
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
    each([](Stream& stream) { stream.guard([&] { stream.drain(); }); });
  });
}

void Loop::join() {
  {
    const MutexLock lock(post_mutex_);
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

}  // namespace varve::net
