// SPDX-License-Identifier: Apache-2.0
// Ceres' POST /api/metadata/search: conditions with wildcards on names and tags, and which fields to show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/ceres/parameters.h"

namespace varve::protocol::ceres {

// '*' stands for any text, '?' for one character, a backslash takes the next character as it is.
bool matches_wildcard(std::string_view pattern, std::string_view text);
bool has_wildcard(std::string_view pattern);
// The same as an RE2 expression for the whole text.
std::string wildcard_regex(std::string_view pattern);
// Without its backslashes: what a pattern without wildcards stands for.
std::string wildcard_literal(std::string_view pattern);

struct TagPattern {
  std::string key;
  std::string pattern;
};

// Field names: "metricName", "tags" (all of them), "tags.<key>", where the key may have wildcards.
struct Search {
  std::vector<std::string> metric_patterns;  // all must hold
  std::vector<TagPattern> tag_patterns;      // all must hold
  std::vector<std::string> include_fields;   // empty: all
  std::vector<std::string> exclude_fields;
  Paging paging;

  [[nodiscard]] bool shows_metric() const;
  [[nodiscard]] bool shows_tag(std::string_view key) const;
  [[nodiscard]] bool shows_tags() const;  // some, perhaps
};

// Errors: invalid, naming the field.
Result<Search> parse_search(std::string_view json);

}  // namespace varve::protocol::ceres
