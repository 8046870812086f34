// SPDX-License-Identifier: Apache-2.0
#include "protocol/opentsdb/query_filter.h"

#include <algorithm>
#include <utility>

#include "protocol/opentsdb/query_error.h"

namespace varve::protocol::opentsdb {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string> alternatives(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t bar = std::min(text.find('|'), text.size());
    const std::string_view one = trim(text.substr(0, bar));
    if (!one.empty() && std::ranges::find(out, one) == out.end()) out.emplace_back(one);
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return out;
}

// The place of the first `wanted` that is not within parentheses.
std::size_t find_outside(std::string_view text, char wanted) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == wanted && depth == 0) return i;
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && depth > 0) --depth;
  }
  return std::string_view::npos;
}

}  // namespace

Result<Filter> make_filter(std::string_view type, std::string_view key, std::string_view text, bool group_by) {
  const auto* const found = std::ranges::find(kFilterNames, type);
  if (found == kFilterNames.end()) return invalid("Could not find filter type: " + std::string(type));
  Filter out;
  out.type = static_cast<Filter::Type>(found - kFilterNames.begin());
  out.key = trim(key);
  out.text = text;
  out.group_by = group_by;
  if (out.key.empty()) return invalid("a filter needs a tagk");
  if (out.type == Filter::Type::not_key) {
    if (!text.empty()) return invalid("the filter of not_key(" + out.key + ") must be empty");
    if (group_by) return invalid("cannot group by not_key(" + out.key + ")");
    return out;
  }
  if (text.empty()) return invalid("the filter for tagk " + out.key + " is empty");
  if (out.type > Filter::Type::not_iliteral_or) return out;
  out.values = alternatives(text);
  if (out.values.empty()) return invalid("the filter for tagk " + out.key + " has no values");
  return out;
}

Result<Filter> filter_of_tag(std::string_view key, std::string_view value, bool group_by) {
  const std::size_t open = value.find('(');
  if (open != std::string_view::npos && value.ends_with(')')) {
    const std::string_view type = value.substr(0, open);
    if (std::ranges::find(kFilterNames, type) != kFilterNames.end()) {
      return make_filter(type, key, value.substr(open + 1, value.size() - open - 2), group_by);
    }
  }
  return make_filter(value.find('*') != std::string_view::npos ? "wildcard" : "literal_or", key, value, group_by);
}

Status parse_filters(std::string_view text, bool group_by, std::vector<Filter>& out) {
  while (!trim(text).empty()) {
    const std::size_t end = std::min(find_outside(text, ','), text.size());
    const std::string_view pair = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == pair.size()) {
      return invalid("invalid tag: " + std::string(pair));
    }
    VARVE_ASSIGN_OR_RETURN(auto filter, filter_of_tag(pair.substr(0, equals), pair.substr(equals + 1), group_by));
    out.push_back(std::move(filter));
  }
  return {};
}

Result<MetricAndFilters> parse_metric(std::string_view text) {
  MetricAndFilters out;
  const std::size_t open = text.find('{');
  out.metric = trim(text.substr(0, open));
  if (open == std::string_view::npos) return out;
  std::string_view rest = text.substr(open);
  for (const bool group_by : {true, false}) {
    rest = trim(rest);
    if (rest.empty()) return out;
    if (rest.front() != '{') break;
    rest.remove_prefix(1);
    const std::size_t close = find_outside(rest, '}');
    if (close == std::string_view::npos) return invalid("Missing '}' in: " + std::string(text));
    VARVE_RETURN_IF_ERROR(parse_filters(rest.substr(0, close), group_by, out.filters));
    rest.remove_prefix(close + 1);
  }
  if (!trim(rest).empty()) return invalid("Unexpected '" + std::string(rest) + "' behind: " + std::string(out.metric));
  return out;
}

}  // namespace varve::protocol::opentsdb
