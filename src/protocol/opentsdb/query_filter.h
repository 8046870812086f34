// SPDX-License-Identifier: Apache-2.0
// Conditions on tags as OpenTSDB writes them: typed filters, and the older map of tags.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::protocol::opentsdb {

struct Filter {
  // In order of kFilterNames.
  enum class Type : std::uint8_t {
    literal_or,
    iliteral_or,
    not_literal_or,
    not_iliteral_or,
    wildcard,
    iwildcard,
    regexp,
    not_key
  };
  Type type = Type::literal_or;
  std::string key;
  std::string text;                 // as written
  std::vector<std::string> values;  // of the literal types: the alternatives, not empty
  bool group_by = false;
};

inline constexpr std::array<std::string_view, 8> kFilterNames = {
    "literal_or", "iliteral_or", "not_literal_or", "not_iliteral_or", "wildcard", "iwildcard", "regexp", "not_key"};

inline std::string_view name_of(Filter::Type type) { return kFilterNames[static_cast<std::size_t>(type)]; }

// Errors: invalid (no such type; no key; no text, or one for not_key).
Result<Filter> make_filter(std::string_view type, std::string_view key, std::string_view text, bool group_by);

// A value of the map of tags: a, a|b, *, web*, or regexp(web[0-9]+) and the other types.
Result<Filter> filter_of_tag(std::string_view key, std::string_view value, bool group_by);

// The inside of braces: host=*,dc=a|b. Commas and braces within parentheses belong to a filter.
Status parse_filters(std::string_view text, bool group_by, std::vector<Filter>& out);

struct MetricAndFilters {
  std::string_view metric;
  std::vector<Filter> filters;
};
// cpu, cpu{host=*}, cpu{host=*}{dc=a}: first braces group, second do not. The metric may be empty.
Result<MetricAndFilters> parse_metric(std::string_view text);

}  // namespace varve::protocol::opentsdb
