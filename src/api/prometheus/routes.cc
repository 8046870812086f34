// SPDX-License-Identifier: Apache-2.0
#include "api/prometheus/routes.h"

#include <memory>

#include "api/prometheus/handlers.h"
#include "api/shared/routes.h"

namespace varve::api {
namespace {

constexpr Route<PrometheusParts> kPrometheusRoutes[] = {
    {Method::post, "/api/v1/write", Itself{write_series}, Effect::writes},
};

}  // namespace

void add_prometheus_routes(Router& router, const Context& context) {
  add_routes(router, std::make_shared<const PrometheusParts>(context), kPrometheusRoutes, prometheus_error);
}

}  // namespace varve::api
