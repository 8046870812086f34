// SPDX-License-Identifier: Apache-2.0
// Matcher: a condition on one tag of a series. A series that lacks the tag has the empty value there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/regex.h"
#include "base/result.h"

namespace varve::index {

struct Matcher {
  enum class Kind {
    any_of,   // value is one of `values` (one value: equals)
    none_of,  // value is none of `values`
    prefix,   // value starts with values[0]
    regex,    // the whole value matches the RE2 expression values[0]
    not_regex
  };
  std::string key;
  Kind kind = Kind::any_of;
  std::vector<std::string> values;
  std::optional<Regex> regex{};  // values[0] of the last two kinds; nothing: each call compiles it
};

using Matchers = std::vector<Matcher>;  // all must hold

// Validates matchers like SeriesIndex::select(), without an index. Error: invalid.
[[nodiscard]] Status check_matchers(const Matchers& matchers);

}  // namespace varve::index
