// SPDX-License-Identifier: Apache-2.0
// Listener: one listening address, some threads with an event loop each. A connection stays with the loop it was given
// to, so its Stream needs no locks. It may move once, to a loop for bulk senders, so that it does not delay connections
// that wait for an answer.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/stream.h"
#include "net/tls.h"

namespace varve::net {

struct ListenerOptions {
  std::string listen;                        // address:port or [v6]:port; port 0: any (see port())
  unsigned threads = 0;                      // 0: one per core
  unsigned bulk_threads = 0;                 // for Stream::move_to_bulk(), at low priority (base/thread_priority.h)
  std::size_t connections_max = 10'000;      // over it: a new connection is closed at once
  bool keep_alive = false;                   // the kernel asks whether a silent peer is still there (tcp(7))
  std::chrono::milliseconds tick{250};       // how often deadlines are looked at
  std::function<void()> on_refused = [] {};  // told of each connection over the limit; any loop thread
  std::shared_ptr<const TlsContext> tls = nullptr;  // none: plain text
  std::chrono::milliseconds handshake_timeout{10'000};
  std::function<void(TlsFailure)> on_tls_failed = [](TlsFailure) {};  // any loop thread
};

// start and stop are called from one thread.
class Listener {
 public:
  using Factory = std::function<std::shared_ptr<Stream>()>;

  Listener(ListenerOptions options, Factory factory);
  ~Listener();  // stops at once, if stop() was not called
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Binds, listens, starts the threads. Errors: invalid (not an address), conflict (in use), io.
  Status start();
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;

  // Stops accepting, tells every stream to drain, waits until all are closed or the deadline has passed, closes the
  // rest and joins the threads.
  void stop(std::chrono::milliseconds deadline);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve::net
