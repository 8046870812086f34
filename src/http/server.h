// SPDX-License-Identifier: Apache-2.0
// The HTTP/1.1 server: sockets in, handlers called, answers out. One acceptor, some I/O threads with an event loop
// each; a connection stays with its thread.
//
//   http::Router always;  add_operations(always, …);          // /-/healthy, /-/ready, /metrics
//   http::Server server(options, std::move(always), gate, metrics);
//   server.start();                                            // listens; everything else answers 503
//   server.open(std::move(router));                            // the store is there: serve
//   …
//   server.stop(std::chrono::seconds(5));                      // 503 for what is new, finish what runs, close
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_ledger.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "http/handler.h"

namespace varve::http {

// Who may name the tenant of a request (docs/http/api.md).
struct TenantFrom {
  bool path = true, x_tenant = true, x_scope_orgid = true;
};

struct ServerOptions {
  std::string listen = "127.0.0.1:8080";   // address:port or [v6]:port; port 0: any (see port())
  unsigned threads = 0;                    // I/O threads; 0: one per core
  std::string tenant_default = "default";  // empty: a request that names no tenant has none
  TenantFrom tenant_from = {};
  std::vector<std::string> origins{};  // whose pages browsers may use this from (origins.h)
  std::vector<std::string> hosts{};    // names of this server (authority.h)

  // The shapes of the errors that the server itself answers, by how a path begins: the longest beginning counts. Other
  // paths have error_response (answer.h).
  std::vector<std::pair<std::string, ErrorShape>> error_shapes{};

  std::shared_ptr<MemoryLedger> memory = nullptr;  // of what requests hold; no room: 503. nullptr: it is not limited
  std::size_t body_max = 64UL << 20;               // one body, after decompression; over it: 413
  std::size_t head_max = 32UL << 10;               // request line and headers; over it: 431
  std::size_t target_max = 16UL << 10;             // path and query; over it: 414
  std::size_t connections_max = 10'000;            // over it: a new connection is closed at once, and counted

  std::chrono::milliseconds head_timeout{10'000};   // from the first byte of a head to its last
  std::chrono::milliseconds body_timeout{20'000};   // without progress of a body (body_deadline.h)
  std::size_t body_rate_min = 16UL << 10;           // bytes a second that a body comes with, after that time
  std::chrono::milliseconds write_timeout{60'000};  // for 64 KiB more of an answer
  std::chrono::milliseconds idle_timeout{120'000};  // between requests
};

// Shut while starting and stopping: then only the server's `always` routes are answered, everything else is 503.
// Thread-safe.
struct Gate {
  std::atomic<bool> open{false};

  // What is to be said beside that it is shut or open, for a person; empty: nothing.
  void say(std::string note) {
    const MutexLock lock(mutex_);
    note_ = std::move(note);
  }
  [[nodiscard]] std::string note() const {
    const MutexLock lock(mutex_);
    return note_;
  }

 private:
  mutable Mutex mutex_;
  std::string note_ VARVE_GUARDED_BY(mutex_);
};

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
