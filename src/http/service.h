// SPDX-License-Identifier: Apache-2.0
// Inside of the server: what its connections share.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/task_pool.h"
#include "http/authority.h"
#include "http/body_buffer.h"
#include "http/gate.h"
#include "http/handler.h"
#include "http/options.h"
#include "http/origins.h"
#include "http/request_parser.h"
#include "http/router.h"

namespace varve::http {

// varve_http_requests_total{path,code} of one route: looked up in Metrics once for each code.
class RouteCounters {
 public:
  void count(Metrics& metrics, std::string_view path, int status);

 private:
  static constexpr int kFirst = 100;
  std::array<std::atomic<Counter*>, 500> by_code_{};
};

// A router and its counters; constant once it serves.
struct Routes {
  explicit Routes(Router r) : router(std::move(r)), counters(router.routes().size()) {}
  Router router;
  std::vector<RouteCounters> counters;
};

// What a request is to be answered by. `refusal` is set where the request need not be read any further.
struct Decision {
  const Route* route = nullptr;
  std::string_view pattern = "other";
  RouteCounters* counters = nullptr;
  std::optional<Response> refusal;
  Origin origin = Origin::none;
};

class Service {
 public:
  // `tasks` runs Response::more; it outlives every event loop.
  Service(ServerOptions options, Router always, Gate& gate, Metrics& metrics, TaskPool& tasks);

  const ServerOptions options;
  const std::shared_ptr<MemoryLedger> memory;
  BlockPool blocks;
  TaskPool* const pool;
  Counter& refused;  // connections over the limit
  Counter& timeouts;

  // Parses the target, finds out who asks whom, tenant and route. The request has its method and headers. What it is
  // refused for has the shape of its route, as Request::error().
  Decision decide(Request& request, const Head& head);
  // What a browser has to be told of an answer: whether the page that asked may read it.
  void add_origin(Response& response, const Request& request, Origin origin) const;
  void count(const Decision& decision, int status);
  void open(Router router);
  // The server stops: from now on every answer ends its connection, also where the event loop has not heard of it yet.
  void shut() {
    gate_.open = false;
    stopping_ = true;
  }
  [[nodiscard]] bool stopping() const { return stopping_; }

 private:
  [[nodiscard]] std::optional<Response> check_sender(const Request& request, const Head& head, Origin& origin) const;
  Status set_tenant(Request& request) const;
  // What the request's path and method come to; no refusal yet.
  struct Found {
    Router::Match match;
    RouteCounters* counters = nullptr;
    bool is_open = true;  // else there may be a route that is not known yet
  };
  Found find(Request& request);
  [[nodiscard]] static std::optional<Response> refusal_of(const Found& found, const Request& request, const Head& head,
                                                          Origin origin);

  const HostNames hosts_;
  const Origins origins_;
  Gate& gate_;
  std::atomic<bool> stopping_{false};
  Metrics& metrics_;
  Routes always_;
  RouteCounters other_;
  std::atomic<Routes*> routes_{nullptr};
  Mutex opened_mutex_;
  // All there ever were: a request may still be in an old one.
  std::vector<std::unique_ptr<Routes>> opened_ VARVE_GUARDED_BY(opened_mutex_);
};

}  // namespace varve::http
