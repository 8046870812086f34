// SPDX-License-Identifier: Apache-2.0
// What an HTTP server may be told: addresses, tenants, limits, times.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_ledger.h"

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

}  // namespace varve::http
