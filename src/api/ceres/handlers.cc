// SPDX-License-Identifier: Apache-2.0
#include "api/ceres/handlers.h"

#include "api/ceres/error.h"

namespace varve::api {

CeresHandlers::CeresHandlers(CeresContext context, std::string api)
    : context_(std::move(context)),
      api_(std::move(api)),
      endpoint_(context_.pool, {.shape = ceres_error}, QueryMetrics(context_.metrics, context_.engine.clock(), api_)) {}

Handler CeresHandlers::on_pool(Work work) {
  return endpoint_.on_pool(
      [self = shared_from_this(), work = std::move(work)](const Request& request) { return work(*self, request); });
}

}  // namespace varve::api
