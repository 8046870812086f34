// SPDX-License-Identifier: Apache-2.0
// What answers Ceres' routes, and the parts that it is answered from. routes.cc has the table of them;
// docs/protocols/ceres.md shows requests and answers.
#pragma once

#include "api/shared/context.h"
#include "api/shared/deletes.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"

namespace varve::api {

// Outlives the router, as everything that it refers to.
struct CeresParts {
  explicit CeresParts(const Context& context);

  const query::Engine& engine;
  CeresRetentions kept;
  DeleteContext erasing;
  Endpoint queries, metadata, erases;
};

// query.cc; its path is OpenTSDB's, too: which requests are Ceres'?
bool names_metric_or_group(const Request& request);
Result<Response> query_ceres(const CeresParts& parts, const Request& request);

// metadata.cc: names, keys and values of the request's tenant, and a search with wildcards.
Result<Response> list_tenants(const CeresParts& parts, const Request& request);
Result<Response> list_ceres_metrics(const CeresParts& parts, const Request& request);
Result<Response> list_metric_groups(const CeresParts& parts, const Request& request);
Result<Response> list_ceres_devices(const CeresParts& parts, const Request& request);
Result<Response> list_ceres_tag_keys(const CeresParts& parts, const Request& request);
Result<Response> list_ceres_tag_values(const CeresParts& parts, const Request& request);
Result<Response> show_ceres_tags(const CeresParts& parts, const Request& request);
Result<Response> search_ceres(const CeresParts& parts, const Request& request);

// delete.cc: of the tenant, of a metric (by tags), of a metric group; over all time or a range.
Result<Response> run_ceres_delete(const CeresParts& parts, const Request& request);

}  // namespace varve::api
