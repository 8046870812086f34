// SPDX-License-Identifier: Apache-2.0
// Ceres' deletes: of the tenant, of a metric (by tags), of a metric group; over all time or a range.
// docs/protocols/ceres.md.
#include "protocol/ceres/delete.h"
#include "api/ceres/handlers.h"

namespace varve::api {

namespace {

namespace ceres = protocol::ceres;
using Kind = index::Matcher::Kind;

Result<Selection> selection_of(const query::Engine& engine, const Request& request) {
  const std::string_view name = request.captured("name"), group = request.captured("group");
  const bool by_name = !name.empty();
  VARVE_ASSIGN_OR_RETURN(const auto asked,
                         ceres::parse_delete(request.query, by_name, request.tenant, engine.clock().now_ms()));
  Selection out{request.tenant, std::nullopt, {}, asked.range};
  if (by_name) out.metric = name;
  if (!group.empty()) out.matchers.push_back({std::string(ceres::kGroupTag), Kind::any_of, {std::string(group)}});
  for (const auto& [key, value] : asked.tags) out.matchers.push_back({key, Kind::any_of, {value}});
  return out;
}

}  // namespace

Result<Response> run_ceres_delete(const CeresParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto selection, selection_of(parts.engine, request));
  const Asker asker{"ceres", target_text(request), request.peer};
  VARVE_RETURN_IF_ERROR(erase_selection(parts.erasing, selection, asker, request.gone.get()));
  return Response::empty(200);
}

}  // namespace varve::api
