// SPDX-License-Identifier: Apache-2.0
// The HTTP/1.1 server: sockets in, handlers called, answers out. One acceptor, some I/O threads with an event loop
// each; a connection stays with its thread.
//
//   http::Router always;  add_health(always, …);              // /-/healthy, /-/ready, /metrics
//   http::Server server(options, std::move(always), gate, metrics);
//   server.start();                                            // listens; everything else answers 503
//   server.open(std::move(router));                            // the store is there: serve
//   …
//   server.stop(std::chrono::seconds(5));                      // 503 for what is new, finish what runs, close
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/metrics.h"
#include "base/result.h"
#include "http/gate.h"
#include "http/options.h"
#include "http/router.h"

namespace varve::http {

// start, open, stop are called from one thread. Handlers run on the I/O threads (see handler.h).
class Server {
 public:
  Server(ServerOptions options, Router always, Gate& gate, Metrics& metrics);
  ~Server();  // stops, if stop() was not called
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds, listens, starts the threads. Errors: invalid (not an address), conflict (in use), io.
  Status start();
  [[nodiscard]] std::uint16_t port() const;

  // Sets the routes and opens the gate.
  void open(Router router);

  // Shuts the gate and the acceptor, lets running requests finish until the deadline, then closes everything and
  // joins. What handlers still answer after that goes nowhere, safely.
  void stop(std::chrono::milliseconds deadline = std::chrono::milliseconds(5000));

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace varve::http
