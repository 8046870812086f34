// SPDX-License-Identifier: Apache-2.0
// What the handlers of Ceres' queries and of its metadata share: the pool, counting, and errors in its shape.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/ceres/query.h"
#include "api/shared/endpoint.h"

namespace varve::api {

class CeresHandlers : public std::enable_shared_from_this<CeresHandlers> {
 public:
  // `api`: of varve_queries_total and of the list of running queries.
  CeresHandlers(CeresContext context, std::string api);

  using Work = std::function<Result<Response>(const CeresHandlers&, const Request&)>;
  Handler on_pool(Work work);

  [[nodiscard]] query::Engine& engine() const { return context_.engine; }
  [[nodiscard]] const protocol::ceres::Retentions& kept() const { return context_.kept; }
  [[nodiscard]] const std::string& api() const { return api_; }

 private:
  const CeresContext context_;
  const std::string api_;
  const Endpoint endpoint_;
};

}  // namespace varve::api
