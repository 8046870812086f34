// SPDX-License-Identifier: Apache-2.0
// Endpoint: what stands round the work of every handler that answers on a pool: the pool has room, the question is
// counted and timed, what is thrown is caught, and errors have the shape of the route. Rows of a table name it
// (routes.h).
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

class Endpoint {
 public:
  using StatusOf = int (*)(Code);
  // What is referred to must outlive the router and every response that has not been sent. Without `counted` it is no
  // query.
  explicit Endpoint(TaskPool& pool, StatusOf status_of = query_status_of,
                    std::optional<QueryMetrics> counted = std::nullopt)
      : pool_(pool), status_of_(status_of), counted_(counted) {}
  Endpoint(TaskPool& pool, QueryMetrics counted) : Endpoint(pool, query_status_of, counted) {}

  // Who waits for room on the pool: the request's tenant, or nobody in particular, for what is of no tenant.
  enum class Share { of_tenant, of_all };

  // Blocks as long as it likes. The request lives until it is answered.
  using Work = std::function<Result<Response>(const Request&)>;
  [[nodiscard]] Handler on_pool(Work work, Share share = Share::of_tenant) const;

  // Handing a small question to another thread would take longer than answering it: whether it is small shows when it
  // has been read, which `plan` does on the thread that it came on.
  struct Planned {
    std::function<Result<Response>()> answer;
    bool is_small = false;
  };
  using Plan = std::function<Result<Planned>(const Request&)>;
  [[nodiscard]] Handler here_or_on_pool(Plan plan, Share share = Share::of_tenant) const;

 private:
  [[nodiscard]] Response error(const Error& error, const Request& request) const;
  // The response to what `answer` says; the time since start_ns is the query's.
  template <class Answer>
  [[nodiscard]] Response finish(const Request& request, std::int64_t start_ns, const Answer& answer) const;
  template <class Task>
  void post(const Request& request, const Responder& respond, Share share, Task task) const;

  TaskPool& pool_;
  StatusOf status_of_;
  std::optional<QueryMetrics> counted_;
};

}  // namespace varve::api
