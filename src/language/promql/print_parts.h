// SPDX-License-Identifier: Apache-2.0
// For both ways to print a tree: those parts that are always in one line.
#pragma once

#include <string>

#include "language/promql/expression.h"

namespace varve::language::promql {

// sum by (a)
std::string head_text(const Aggregation& aggregation);

// == bool on (a) group_left (b)
std::string operator_text(const Binary& binary);

// [1h:5m] @ 5.000 offset 5m: what stands behind the expression.
std::string tail_text(const Subquery& subquery);

// The name of a call, and what stands behind its parenthesis.
std::string head_text(const Call& call);
std::string tail_text(const Call& call);

}  // namespace varve::language::promql
