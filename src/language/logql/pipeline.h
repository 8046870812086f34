// SPDX-License-Identifier: Apache-2.0
// Pipeline: the stages of a query that the store does not evaluate: parsers, label filters, drop and keep.
#pragma once

#include <string_view>

#include "language/logql/labels.h"
#include "language/logql/syntax.h"

namespace varve::language::logql {

// One line with its labels. False: a filter leaves it out. What goes wrong with a line becomes its label __error__.
bool run_stages(const LogQuery& query, Labels& labels);

// The parsers alone: what they find in the line becomes labels.
void parse_json(Labels& labels);    // {"a":{"b":1}} → a_b; lists are left out
void parse_logfmt(Labels& labels);  // a=1 b="x y" c

}  // namespace varve::language::logql
