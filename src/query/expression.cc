// SPDX-License-Identifier: Apache-2.0
#include "query/expression.h"

#include "base/regex.h"

namespace varve::query {

Status check_expression(std::string_view expression) {
  VARVE_RETURN_IF_ERROR(Regex::compile(expression));
  // "\Qa" compiles, but its quoting goes on behind the part that it is.
  if (!Regex::compile("(?:" + std::string(expression) + ")")) {
    return fail(Code::invalid, "regular expression '" + std::string(expression) + "': missing \\E");
  }
  return {};
}

}  // namespace varve::query
