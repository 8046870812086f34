// SPDX-License-Identifier: Apache-2.0
#include "http/ceres_handlers.h"

#include "http/ceres_error.h"
#include "http/query_metrics.h"

namespace varve::http {

CeresHandlers::CeresHandlers(CeresContext context, std::string api)
    : context_(std::move(context)),
      api_(std::move(api)),
      queries_(queries_asked(context_.metrics, api_)),
      seconds_(query_seconds(context_.metrics)) {}

Handler CeresHandlers::on_pool(Work work) {
  return [self = shared_from_this(), work = std::move(work)](const Request& request, const Responder& respond) {
    if (request.tenant.empty()) return respond(ceres_error(400, "the request names no tenant", request.path));
    // The responder keeps the request.
    const bool taken = self->context_.pool.post([self, work, &request, respond] { respond(self->run(work, request)); });
    if (!taken) respond(ceres_error(503, "too many queries are waiting", request.path));
  };
}

Response CeresHandlers::run(const Work& work, const Request& request) {
  queries_.add();
  const Clock& clock = engine().clock();
  const std::int64_t start_ns = clock.steady_ns();
  auto response = work(*this, request);
  seconds_.observe(static_cast<double>(clock.steady_ns() - start_ns) * 1e-9);
  return response ? std::move(*response) : ceres_error(response.error(), request.path);
}

}  // namespace varve::http
