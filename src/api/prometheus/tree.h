// SPDX-License-Identifier: Apache-2.0
// The tree of a query as JSON, as Prometheus' parse_query answers it.
#pragma once

#include "language/promql/expression.h"
#include "protocol/json/writer.h"

namespace varve::api {

// One value. Durations are milliseconds; `default` and what else is MetricsQL's are shown as what they are like.
void write_prometheus_tree(protocol::json::Writer& json, const language::promql::Expression& root);

}  // namespace varve::api
