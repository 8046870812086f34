// SPDX-License-Identifier: Apache-2.0
// LokiAsking: one question of Loki's API while it is answered.
#pragma once

#include <cstdint>
#include <string>

#include "api/loki/parameters.h"
#include "api/shared/http.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "language/logql/source.h"
#include "query/engine.h"
#include "query/under_way.h"
#include "storage/message_news.h"
#include "storage/message_store.h"

namespace varve::api {

// What questions are answered from. All of it outlives the router's server.
struct LokiContext {
  const storage::MessageStore& store;
  query::Engine& engine;
  TaskPool& pool;
  const Clock& clock;
  Metrics& metrics;
  std::uint64_t rows_max = 0;            // messages.rows_max
  storage::MessageNews* news = nullptr;  // of what comes; nullptr: there are no tails
  std::string version = {};              // of varve
};

struct LokiAsking {
  // What is referred to outlives it.
  LokiAsking(const LokiContext& context, const Request& from, const LokiParameters& given, query::UnderWay& query);

  const language::logql::Source source;
  const Request& request;
  const LokiParameters& parameters;
  const std::int64_t now_ns;
  const std::uint64_t rows_max;

  // All matchers of the parameter, of which a message has to fulfil one list; none: everything.
  [[nodiscard]] Result<message::Condition> selected_by(std::string_view parameter) const;
};

int loki_status_of(Code code);

}  // namespace varve::api
