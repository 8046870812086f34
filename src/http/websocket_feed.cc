// SPDX-License-Identifier: Apache-2.0
#include "http/websocket_feed.h"

#include <utility>

namespace varve::http {
namespace {

constexpr std::size_t kControlWaitingMax = 4096;  // a client that only pings, and reads nothing

}  // namespace

bool WebSocketFeed::has_something() const { return !waiting_.empty() || !control_.empty() || ended_; }

bool WebSocketFeed::wait(std::function<void()> ready) {
  const MutexLock lock(mutex_);
  if (has_something()) return false;
  ready_ = std::move(ready);
  return true;
}

bool WebSocketFeed::take(std::string& piece) {
  const MutexLock lock(mutex_);
  piece += std::exchange(control_, {});
  while (!waiting_.empty() && piece.size() < kPieceBytes) {
    append_frame(piece, FrameKind::text, *waiting_.front());
    bytes_ -= waiting_.front()->size();
    waiting_.pop_front();
  }
  if (!waiting_.empty() || !ended_) return true;
  piece += std::exchange(closing_, {});
  return false;
}

void WebSocketFeed::close_with(CloseCode code, std::string_view why) {
  if (std::exchange(ended_, true)) return;
  append_close_frame(closing_, code, why);
}

void WebSocketFeed::received(std::string_view bytes) {
  std::function<void()> ready;
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
    asked_ = false;
    bool closes = false;
    std::string pongs;
    const auto wrong = reader_.read(bytes, [&](FrameKind kind, std::string_view payload) {
      if (kind == FrameKind::ping) append_frame(pongs, FrameKind::pong, payload);
      closes |= kind == FrameKind::close;
    });
    if (control_.size() < kControlWaitingMax) control_ += pongs;
    if (closes || wrong) {
      waiting_.clear();
      bytes_ = 0;
      close_with(closes ? CloseCode::normal : *wrong, "");
    }
    if (has_something()) ready.swap(ready_);
  }
  if (ready) ready();
}

void WebSocketFeed::idle() {
  std::function<void()> ready;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(asked_, true)) {
      ended_ = true;  // it is not there any more
    } else {
      append_frame(control_, FrameKind::ping, "");
    }
    ready.swap(ready_);
  }
  if (ready) ready();
}

bool WebSocketFeed::send(std::shared_ptr<const std::string> text) {
  std::function<void()> ready;
  {
    const MutexLock lock(mutex_);
    if (ended_) return true;
    if (bytes_ > 0 && bytes_ + text->size() > kWaitingBytesMax) return false;
    bytes_ += text->size();
    waiting_.push_back(std::move(text));
    ready.swap(ready_);
  }
  if (ready) ready();
  return true;
}

void WebSocketFeed::send_first(std::shared_ptr<const std::string> text) {
  std::function<void()> ready;
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
    bytes_ += text->size();
    waiting_.push_front(std::move(text));
    ready.swap(ready_);
  }
  if (ready) ready();
}

void WebSocketFeed::end(CloseCode code, std::string_view why, std::string last) {
  std::function<void()> ready;
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
    if (!last.empty()) {
      bytes_ += last.size();
      waiting_.push_back(std::make_shared<const std::string>(std::move(last)));
    }
    close_with(code, why);
    ready.swap(ready_);
  }
  if (ready) ready();
}

}  // namespace varve::http
