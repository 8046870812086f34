// SPDX-License-Identifier: Apache-2.0
// LokiAsking: one question of Loki's API while it is answered.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/loki/parameters.h"
#include "api/shared/http.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "language/logql/source.h"
#include "language/logql/syntax.h"
#include "query/engine.h"
#include "query/messages/message_search.h"
#include "query/under_way.h"
#include "storage/message_store.h"
#include "write/message_feed.h"

namespace varve::api {

struct LokiAsking {
  const storage::MessageStore& store;
  const Request& request;
  const LokiParameters& parameters;
  query::UnderWay& query;
  std::int64_t now_ns;
  std::uint64_t rows_max;

  // What evaluations read. The asking has to outlive it.
  [[nodiscard]] language::logql::Source source() const;
  [[nodiscard]] query::MessageSearch search_of(language::logql::TimeSpan span,
                                               const message::Condition& condition) const;
  static bool has(language::logql::TimeSpan span, message::RowView row);
  Status hold(std::size_t bytes) const { return query.budget().charge(bytes); }
  // All matchers of the parameter, of which a message has to fulfil one list; none: everything.
  [[nodiscard]] Result<message::Condition> selected_by(std::string_view parameter) const;
};

// What questions are answered from. All of it outlives the router's server.
struct LokiContext {
  const storage::MessageStore& store;
  query::Engine& engine;
  TaskPool& pool;
  const Clock& clock;
  Metrics& metrics;
  std::uint64_t rows_max = 0;          // messages.rows_max
  write::MessageNews* news = nullptr;  // of what comes; nullptr: there are no tails
  std::string version = {};            // of varve
};

int loki_status_of(Code code);

}  // namespace varve::api
