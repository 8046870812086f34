// SPDX-License-Identifier: Apache-2.0
// WebSocketFeed: what a server sends over a WebSocket, one message after the other. It answers pings, asks silent
// clients whether they are there, and closes in order.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "http/handler.h"
#include "http/websocket.h"

namespace varve::http {

// Thread-safe.
class WebSocketFeed : public Feed {
 public:
  // Of messages that wait for a slow reader.
  static constexpr std::size_t kWaitingBytesMax = std::size_t{4} << 20;

  bool wait(std::function<void()> ready) override;
  bool take(std::string& piece) override;
  void received(std::string_view bytes) override;
  void idle() override;

  // A text, shared with others. False: there is no room, as the reader does not read.
  bool send(std::shared_ptr<const std::string> text);
  // Likewise, in front of all that wait, whatever room there is.
  void send_first(std::shared_ptr<const std::string> text);
  // `last` is sent, if it is not empty, and the connection closed.
  void end(CloseCode code, std::string_view why, std::string last = {});

 private:
  void close_with(CloseCode code, std::string_view why) VARVE_REQUIRES(mutex_);
  [[nodiscard]] bool has_something() const VARVE_REQUIRES(mutex_);

  Mutex mutex_;
  FrameReader reader_ VARVE_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<const std::string>> waiting_ VARVE_GUARDED_BY(mutex_);
  std::size_t bytes_ VARVE_GUARDED_BY(mutex_) = 0;
  std::string control_ VARVE_GUARDED_BY(mutex_);  // pings and pongs
  std::string closing_ VARVE_GUARDED_BY(mutex_);  // behind all
  bool ended_ VARVE_GUARDED_BY(mutex_) = false;
  bool asked_ VARVE_GUARDED_BY(mutex_) = false;  // and nothing has come since
  std::function<void()> ready_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::http
