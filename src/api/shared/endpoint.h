// SPDX-License-Identifier: Apache-2.0
// Endpoint: what stands round the work of every handler that answers on a pool: the request names a tenant, the pool
// has room, the question is counted and timed, what is thrown is caught, and errors have the family's shape.
//
//   const Endpoint lists(pool, {.shape = ceres_error}, QueryMetrics(metrics, clock, "ceres_metadata"));
//   router.add(Method::get, "/api/metadata/devices", lists.on_pool(devices));    // Request -> Result<Response>
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "api/shared/http.h"
#include "api/shared/query_answer.h"
#include "api/shared/query_metrics.h"
#include "base/task_pool.h"

namespace varve::api {

struct EndpointOptions {
  ErrorShape shape = error_response;
  int (*status_of)(Code) = query_status_of;
  bool needs_tenant = true;
};

class Endpoint {
 public:
  // What is referred to must outlive the router and every response that has not been sent. Without `counted` it is no
  // query.
  explicit Endpoint(TaskPool& pool, EndpointOptions options = {}, std::optional<QueryMetrics> counted = std::nullopt)
      : pool_(pool), options_(options), counted_(counted) {}

  // Blocks as long as it likes. The request lives until it is answered.
  using Work = std::function<Result<Response>(const Request&)>;
  [[nodiscard]] Handler on_pool(Work work) const;

  // Handing a small question to another thread would take longer than answering it: whether it is small shows when it
  // has been read, which `plan` does on the thread that it came on.
  struct Planned {
    std::function<Result<Response>()> answer;
    bool is_small = false;
  };
  using Plan = std::function<Result<Planned>(const Request&)>;
  [[nodiscard]] Handler here_or_on_pool(Plan plan) const;

 private:
  [[nodiscard]] Response error(const Error& error, const Request& request) const;
  [[nodiscard]] bool refuses(const Request& request, const Responder& respond) const;
  // The response to what `answer` says; the time since start_ns is the query's.
  template <class Answer>
  [[nodiscard]] Response finish(const Request& request, std::int64_t start_ns, const Answer& answer) const;
  template <class Task>
  void post(const Request& request, const Responder& respond, Task task) const;

  TaskPool& pool_;
  EndpointOptions options_;
  std::optional<QueryMetrics> counted_;
};

}  // namespace varve::api
