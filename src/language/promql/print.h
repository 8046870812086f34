// SPDX-License-Identifier: Apache-2.0
// A tree → the text of its query, which parses to the same tree. Comments are lost, and matchers are in the order of
// their text.
#pragma once

#include <cstddef>
#include <string>

#include "language/promql/expression.h"

namespace varve::language::promql {

// In one line.
std::string one_line(const Expression& root);

inline constexpr std::size_t kLineBytesMax = 100;

// As Prometheus' format_query answers it: what is longer than a line is split, its parts indented by two blanks.
// Selectors are never split.
std::string pretty(const Expression& root);

}  // namespace varve::language::promql
