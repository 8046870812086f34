// SPDX-License-Identifier: Apache-2.0
// A tree → JSON, as Prometheus' parse_query answers it: docs/protocols/promql.md.
#pragma once

#include "language/promql/expression.h"
#include "protocol/json/writer.h"

namespace varve::language::promql {

// One value. Durations are in milliseconds.
void write_tree(protocol::json::Writer& json, const Expression& root);

}  // namespace varve::language::promql
