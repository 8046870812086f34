// SPDX-License-Identifier: Apache-2.0
#include "api/catalog/routes.h"

#include <memory>

#include "api/catalog/handlers.h"
#include "api/shared/routes.h"

namespace varve::api {
namespace {

constexpr Route<CatalogParts> kCatalogRoutes[] = {
    {Method::get, "/api/v1/catalog/metrics", OnPool{list_catalog_metrics, &CatalogParts::lists}},
    {Method::get, "/api/v1/catalog/tags", OnPool{list_catalog_tags, &CatalogParts::lists}},
    {Method::get, "/api/v1/catalog/series", OnPool{list_catalog_series, &CatalogParts::lists}},
    {Method::get, "/api/v1/catalog/windows", OnPool{list_catalog_windows, &CatalogParts::lists}},
};

}  // namespace

CatalogParts::CatalogParts(const Context& context)
    : engine(context.queries),
      is_counter(context.is_counter),
      lists(context.query_pool, QueryMetrics(context.metrics, engine.clock(), "catalog")) {}

void add_catalog_routes(Router& router, const Context& context) {
  add_routes(router, std::make_shared<const CatalogParts>(context), kCatalogRoutes, http::plain_error);
}

}  // namespace varve::api
