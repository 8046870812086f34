// SPDX-License-Identifier: Apache-2.0
#include "query/request.h"

#include <utility>

namespace varve::query {

Request shown_as(std::string tenant, std::string api, std::string text, std::string metric) {
  Request out;
  out.tenant = std::move(tenant);
  out.api = std::move(api);
  out.text = std::move(text);
  if (!metric.empty()) out.metrics.emplace_back().metric = std::move(metric);
  return out;
}

}  // namespace varve::query
