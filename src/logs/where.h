// SPDX-License-Identifier: Apache-2.0
// A condition as people write it: `Source=a* AND Level<=4 OR Keyword=timeout`.
//
//   condition = all { OR all }        all = term { AND term }        term = NAME operator value
//   =  equal, with * behind the value a prefix, with LOW<HIGH for the value a range;  !=  not equal, not in the range
//   <=  >=  ~  contains;  =~  regular expression
//
// AND binds tighter than OR; there are no parentheses. A value ends at a blank, or is in '…' or "…", where a backslash
// stands in front of a quote or of itself, and `*` and `<` are characters. Names may be quoted, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::logs {

// As `where` of an analytics query has it; docs/protocols/analytics.md.
struct WhereTerm {
  std::string name;
  int op = 1;
  std::string value, value2;
  bool operator==(const WhereTerm&) const = default;
};
using WhereAll = std::vector<WhereTerm>;
using WhereAny = std::vector<WhereAll>;

// Error: invalid, and where.
Result<WhereAny> parse_where(std::string_view text);

// A flag's value, which may end with `*`: equal or prefix.
WhereTerm term_of_flag(std::string name, std::string_view value);

}  // namespace varve::logs
