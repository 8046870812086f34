// SPDX-License-Identifier: Apache-2.0
// What a query of PromQL took: Prometheus' `stats`, and the tree with what each selector read.
#pragma once

#include <cstdint>
#include <vector>

#include "language/promql/engine_source.h"
#include "language/promql/expression.h"
#include "protocol/json/writer.h"

namespace varve::api {

struct PrometheusCosts {
  bool stats = false, explain = false;  // which are asked for
  std::vector<language::promql::SelectorRead> reads{};
  std::int64_t evaluation_ns = 0;  // with reading
  std::int64_t execution_ns = 0;   // all but writing the answer
};

// "stats" and "explain", as far as they are asked for, within an object.
void write_prometheus_costs(protocol::json::Writer& json, const language::promql::Expression& root,
                            const PrometheusCosts& costs);

}  // namespace varve::api
