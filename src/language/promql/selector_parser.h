// SPDX-License-Identifier: Apache-2.0
// The parsers of selectors and of lists of labels.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "language/promql/expression.h"
#include "language/promql/token_reader.h"

namespace varve::language::promql {

// m, m{a="b"}, {a="b"}, {"m"}: the next token begins one. Without modifiers. Compiles expressions.
Result<VectorSelector> read_vector_selector(TokenReader& tokens);

// (a, "b.c",)
Result<std::vector<std::string>> read_labels(TokenReader& tokens);

}  // namespace varve::language::promql
