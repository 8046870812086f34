// SPDX-License-Identifier: Apache-2.0
#include "http/service.h"

#include "http/answer.h"
#include "http/url.h"
#include "model/tenant.h"

namespace varve::http {
namespace {

constexpr std::size_t kBlocksKept = 64UL << 20;

// What a browser asks before it sends a request to another origin.
Response options_response(const Request& request, const std::string& allow) {
  Response response = Response::empty(200);
  if (!allow.empty()) response.headers.emplace_back("Allow", allow);
  if (request.header("origin").empty()) return response;
  response.headers.emplace_back("Access-Control-Max-Age", "86400");
  const std::string_view wanted = request.header("access-control-request-headers");
  if (!wanted.empty()) response.headers.emplace_back("Access-Control-Allow-Headers", wanted);
  if (!allow.empty()) response.headers.emplace_back("Access-Control-Allow-Methods", allow);
  return response;
}

}  // namespace

void RouteCounters::count(Metrics& metrics, std::string_view path, int status) {
  if (status < kFirst || status >= kFirst + static_cast<int>(by_code_.size())) return;
  auto& slot = by_code_[static_cast<std::size_t>(status - kFirst)];
  Counter* counter = slot.load(std::memory_order_acquire);
  if (counter == nullptr) {
    counter = &metrics.counter("varve_http_requests_total", "HTTP requests answered.",
                               {{"path", path}, {"code", std::to_string(status)}});
    slot.store(counter, std::memory_order_release);
  }
  counter->add();
}

Service::Service(ServerOptions o, Router always, Gate& gate, Metrics& metrics, TaskPool& tasks)
    : options(std::move(o)),
      budget(std::make_shared<Budget>(options.bodies_in_flight_max)),
      blocks(kBlocksKept),
      pool(&tasks),
      shed(metrics.counter("varve_http_shed_total", "Requests refused because too many bytes of bodies were held.")),
      refused(metrics.counter("varve_http_connections_refused_total", "Connections over the limit.")),
      timeouts(metrics.counter("varve_http_timeouts_total", "Connections closed because the client was too slow.")),
      gate_(gate),
      metrics_(metrics),
      always_(std::move(always)) {
  metrics.gauge("varve_http_body_bytes", "Memory held by request bodies.",
                [held = budget] { return static_cast<double>(held->used()); });
}

void Service::open(Router router) {
  const std::lock_guard lock(opened_mutex_);
  opened_.push_back(std::make_unique<Routes>(std::move(router)));
  routes_.store(opened_.back().get(), std::memory_order_release);
  gate_.open = true;
}

// Path before header before default; docs/http-api.md.
Status Service::set_tenant(Request& request) const {
  std::string_view named = request.tenant;  // from the path
  if (named.empty()) named = request.header("x-tenant");
  if (named.empty()) named = request.header("x-scope-orgid");
  request.tenant_named = !named.empty();
  if (named.empty()) named = options.tenant_default;
  if (request.tenant_named && !model::is_tenant_name(named)) {
    return fail(Code::invalid,
                "'" + std::string(named.substr(0, 100)) + "' is not a tenant name: 1 to 64 of A-Z a-z 0-9 . _ -");
  }
  if (named.data() != request.tenant.data()) request.tenant.assign(named);
  return {};
}

Decision Service::decide(Request& request, const std::string& target) {
  Decision decision;
  decision.counters = &other_;
  request.query.clear();
  request.tenant.clear();
  if (const Status parsed = parse_target(target, request.path, request.query, &request.name_slashes); !parsed) {
    decision.refusal = error_response(400, parsed.error().message);
    return decision;
  }
  if (request.path.starts_with("/t/")) {
    request.tenant = take_tenant(request.path, &request.name_slashes);
    if (request.tenant.empty()) {
      decision.refusal = error_response(400, "the path names no tenant", request.path);
      return decision;
    }
  }
  decision = find(request);
  if (decision.refusal) return decision;
  if (const Status tenant = set_tenant(request); !tenant) {
    decision.refusal = error_response(tenant.error(), request.path);
  }
  return decision;
}

Decision Service::find(const Request& request) {
  const auto in = [&](Routes& routes) -> Decision {
    const Router::Match match = routes.router.find(request.method, request.path, request.name_slashes);
    if (match.pattern.empty()) return {nullptr, "other", &other_, {}};
    Decision found{match.handler, match.pattern, &routes.counters[match.index], {}};
    if (match.handler != nullptr) return found;
    if (request.method == Method::options) {
      found.refusal = options_response(request, match.allow);
    } else {
      found.refusal = error_response(405, "this path takes " + match.allow, request.path);
      found.refusal->headers.emplace_back("Allow", match.allow);
    }
    return found;
  };
  Decision found = in(always_);
  if (found.handler != nullptr || found.refusal) return found;
  Routes* routes = routes_.load(std::memory_order_acquire);
  if (!gate_.open || routes == nullptr) {
    found.refusal = error_response(503, "the server is starting or stopping", request.path);
    return found;
  }
  found = in(*routes);
  if (found.handler != nullptr || found.refusal) return found;
  found.refusal = request.method == Method::options
                      ? options_response(request, "")
                      : error_response(404, "there is no path " + request.path.substr(0, 200), request.path);
  return found;
}

void Service::count(const Decision& decision, int status) {
  if (decision.counters != nullptr) decision.counters->count(metrics_, decision.pattern, status);
}

}  // namespace varve::http
