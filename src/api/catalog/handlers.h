// SPDX-License-Identifier: Apache-2.0
// The catalog: what is known of metrics, tags and series without reading a stored sample, and in which windows of time
// there are samples. docs/http/api.md. routes.cc has the table of its routes; the parameters of all: discovery.h.
#pragma once

#include <functional>
#include <string_view>

#include "api/shared/context.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"

namespace varve::api {

// Outlives the router, as everything that it refers to.
struct CatalogParts {
  explicit CatalogParts(const Context& context);

  const query::Engine& engine;
  std::function<bool(std::string_view metric)> is_counter;  // a delta counter: its rollups have sums only
  Endpoint lists;
};

Result<Response> list_catalog_metrics(const CatalogParts& parts, const Request& request);
Result<Response> list_catalog_tags(const CatalogParts& parts, const Request& request);
Result<Response> list_catalog_series(const CatalogParts& parts, const Request& request);
Result<Response> list_catalog_windows(const CatalogParts& parts, const Request& request);  // windows.h

}  // namespace varve::api
