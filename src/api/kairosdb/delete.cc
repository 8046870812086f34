// SPDX-License-Identifier: Apache-2.0
// KairosDB's deletes: a metric over all time, or what a query would read.
#include "api/kairosdb/handlers.h"
#include "language/kairosdb/to_request.h"
#include "protocol/kairosdb/query.h"

namespace varve::api {

namespace {

namespace kairosdb = protocol::kairosdb;

constexpr const char* kKairosdbApi = "kairosdb";

Result<std::vector<Selection>> selections_of(const query::Engine& engine, const Request& request) {
  std::vector<Selection> out;
  if (request.method == Method::delete_) {
    out.push_back({request.tenant, std::string(request.captured("name")), {}, {}});
    return out;
  }
  if (request.body.empty()) return fail(Code::invalid, "query json must not be null or empty");
  VARVE_ASSIGN_OR_RETURN(const auto parsed, kairosdb::parse_query(request.body, engine.clock().now_ms()));
  query::Expressions expressions;
  for (const auto& metric : parsed.metrics) {
    Selection selection{request.tenant, metric.name, {}, parsed.range};
    for (const auto& filter : metric.tags) {
      VARVE_RETURN_IF_ERROR(language::kairosdb::add_matchers(selection.matchers, filter, expressions));
    };
    out.push_back(std::move(selection));
  }
  return out;
}

}  // namespace

Result<Response> run_kairosdb_delete(const KairosdbParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto selections, selections_of(parts.engine, request));
  const Asker asker{kKairosdbApi, request.path, request.peer};
  for (const Selection& selection : selections) {
    VARVE_RETURN_IF_ERROR(erase_selection(parts.erasing, selection, asker, request.gone.get()));
  }
  return kairosdb_response(204);
}

}  // namespace varve::api
