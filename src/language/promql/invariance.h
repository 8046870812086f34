// SPDX-License-Identifier: Apache-2.0
// What a tree says before it is evaluated: which of its expressions have one value for all steps, and which of its
// vectors stay distinct without their names.
#pragma once

#include <unordered_set>

#include "language/promql/expression.h"

namespace varve::language::promql {

// Expressions whose value no step changes: m @ 5, and what is made of it.
class Invariance {
 public:
  explicit Invariance(const Expression& root) { visit(root); }

  [[nodiscard]] bool contains(const Expression& expression) const { return found_.contains(&expression); }

 private:
  bool visit(const Expression& expression);
  bool visit_call(const Call& call);

  std::unordered_set<const Expression*> found_;
};

// Have all series of the vector, or of the matrix, one name, or none? Then they remain distinct without it.
bool has_one_name(const Expression& expression);

// Does the function's result lack the names of its argument's series?
bool drops_names(FunctionId function);

}  // namespace varve::language::promql
