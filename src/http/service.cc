// SPDX-License-Identifier: Apache-2.0
#include "http/service.h"

#include <algorithm>

#include "base/check.h"
#include "http/answer.h"
#include "http/url.h"
#include "model/tenant.h"

namespace varve::http {
namespace {

constexpr std::size_t kBlocksKept = 64UL << 20;
constexpr std::size_t kUnlimited = std::size_t{1} << 62;

Response options_response(const Request& request, const std::string& allow, Origin origin) {
  Response response = Response::empty(200);
  if (!allow.empty()) response.headers.emplace_back("Allow", allow);
  if (origin != Origin::allowed) return response;
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
      memory(options.memory != nullptr ? options.memory : std::make_shared<MemoryLedger>(kUnlimited)),
      blocks(kBlocksKept),
      pool(&tasks),
      refused(metrics.counter("varve_http_connections_refused_total", "Connections over the limit.")),
      timeouts(metrics.counter("varve_http_timeouts_total", "Connections closed because the client was too slow.")),
      hosts_(options.hosts),
      origins_(options.origins),
      gate_(gate),
      metrics_(metrics),
      always_(std::move(always)) {
  MemoryLedger::register_metrics(memory, metrics);
  metrics.gauge("varve_http_body_bytes", "Memory held by request bodies.",
                [ledger = memory] { return static_cast<double>(ledger->held(MemoryLedger::Kind::body)); });
}

void Service::open(Router router) {
  const MutexLock lock(opened_mutex_);
  opened_.push_back(std::make_unique<Routes>(std::move(router)));
  routes_.store(opened_.back().get(), std::memory_order_release);
  gate_.open = true;
}

// Path before header before default; docs/http/api.md.
Status Service::set_tenant(Request& request) const {
  struct Way {
    std::string_view key;
    bool allowed;
    std::string_view tenant;
  };
  const TenantFrom& from = options.tenant_from;
  std::string_view named;
  for (const Way& way :
       {Way{"path", from.path, request.tenant}, Way{"x-tenant", from.x_tenant, request.header("x-tenant")},
        Way{"x-scope-orgid", from.x_scope_orgid, request.header("x-scope-orgid")}}) {
    if (way.tenant.empty()) continue;
    // Not passed over: who counted on it would be served from another tenant.
    if (!way.allowed)
      return fail(Code::invalid, "the tenant may not be named by " + std::string(way.key) + " (tenant.from)");
    if (named.empty()) named = way.tenant;
  }
  request.tenant_named = !named.empty();
  if (named.empty()) named = options.tenant_default;
  if (request.tenant_named && !model::is_tenant_name(named)) {
    return fail(Code::invalid,
                "'" + std::string(named.substr(0, 100)) + "' is not a tenant name: 1 to 64 of A-Z a-z 0-9 . _ -");
  }
  if (named.data() != request.tenant.data()) request.tenant.assign(named);
  return {};
}

// What `Host` and `Origin` must be. Nothing of the request has had an effect yet.
std::optional<Response> Service::check_sender(const Request& request, const Head& head, Origin& origin) const {
  const auto refuse = [&](int status, std::string_view why) { return request.error(status, why); };
  std::optional<Authority> host;
  const auto check = [&](std::string_view text) -> std::optional<Response> {
    auto authority = parse_authority(text);
    if (!authority) return refuse(400, authority.error().message);
    if (!hosts_.take(*authority)) {
      return refuse(421, "'" + authority->host + "' is not a name of this server that http.hosts has");
    }
    host = std::move(*authority);
    return std::nullopt;
  };
  for (const auto& [name, value] : request.headers) {
    if (name != "host") continue;
    if (host) return refuse(400, "the request has two Host headers");
    if (auto refusal = check(value)) return refusal;
  }
  if (!host && !head.http_1_0) return refuse(400, "the request has no Host header");
  // A target with a host of its own ("GET http://host/path") counts for more than the header.
  if (const std::string_view named = authority_of(head.target); !named.empty()) {
    if (auto refusal = check(named)) return refusal;
  }
  origin = origins_.of(request, host);
  // What a WebSocket says, a page may read wherever it comes from.
  const bool harmless = !request.header("upgrade").empty()
                            ? false
                            : request.method == Method::get || request.method == Method::head || is_preflight(request);
  if (origin == Origin::foreign && !harmless) {
    return refuse(403, "a browser's page from there may not do this: http.origins does not have its origin");
  }
  return std::nullopt;
}

void Service::add_origin(Response& response, const Request& request, Origin origin) const {
  if (origin == Origin::allowed) {
    response.headers.emplace_back("Access-Control-Allow-Origin", request.header("origin"));
  }
  if (!origins_.any()) return;
  const auto vary = std::ranges::find_if(response.headers, [](const auto& header) { return header.first == "Vary"; });
  if (vary == response.headers.end()) {
    response.headers.emplace_back("Vary", "Origin");
  } else {
    vary->second += ", Origin";
  }
}

Decision Service::decide(Request& request, const Head& head) {
  Decision decision;
  decision.counters = &other_;
  request.query.clear();
  request.tenant.clear();
  request.shape = plain_error;
  if (const Status parsed = parse_target(head.target, request.path, request.query, &request.name_slashes); !parsed) {
    decision.refusal = request.error(400, parsed.error().message);
    return decision;
  }
  auto tenant = take_tenant(request.path, request.name_slashes);
  const Found found = find(request);
  decision.refusal = check_sender(request, head, decision.origin);
  if (decision.refusal) return decision;
  if (tenant && tenant->empty()) {
    decision.refusal = request.error(400, "the path names no tenant");
    return decision;
  }
  if (tenant) request.tenant = std::move(*tenant);
  decision.route = found.match.route;
  decision.counters = found.counters;
  if (!found.match.pattern.empty()) decision.pattern = found.match.pattern;
  decision.refusal = refusal_of(found, request, head, decision.origin);
  if (decision.refusal) return decision;
  Status may = set_tenant(request);
  if (may) may = check_tenant(*decision.route, request);
  if (!may) decision.refusal = request.error(may.error());
  return decision;
}

Service::Found Service::find(Request& request) {
  const auto in = [&](Routes& routes) -> Found {
    Found found{routes.router.find(request), &other_};
    if (found.match.pattern.empty()) return found;
    check(found.match.index < routes.counters.size(), "each route has its counters");
    found.counters = &routes.counters[found.match.index];
    return found;
  };
  Found found = in(always_);
  if (!found.match.pattern.empty()) return found;
  Routes* const routes = routes_.load(std::memory_order_acquire);
  if (routes != nullptr) found = in(*routes);
  found.is_open = gate_.open && routes != nullptr;
  if (!found.is_open) {
    found.match = {};
    found.counters = &other_;
  }
  return found;
}

std::optional<Response> Service::refusal_of(const Found& found, const Request& request, const Head& head,
                                            Origin origin) {
  const Router::Match& match = found.match;
  if (!found.is_open) return request.error(503, "the server is starting or stopping");
  if (match.route != nullptr) {
    if (match.route->changes_by_get && !may_change(request, origin)) {
      return request.error(403, "a page of another site may not do this");
    }
    if (head.expect_accepted && !match.route->answers_later) {
      return request.error(417, "this path cannot answer later");
    }
    return std::nullopt;
  }
  if (request.method == Method::options) return options_response(request, match.allow, origin);
  if (match.pattern.empty()) return request.error(404, "there is no path " + request.path.substr(0, 200));
  Response wrong = request.error(405, "this path takes " + match.allow);
  wrong.headers.emplace_back("Allow", match.allow);
  return wrong;
}

void Service::count(const Decision& decision, int status) {
  if (decision.counters != nullptr) decision.counters->count(metrics_, decision.pattern, status);
}

}  // namespace varve::http
