// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/search.h"

#include <algorithm>
#include <charconv>

#include "protocol/ceres/parameters.h"
#include "protocol/json/tree.h"

namespace varve::protocol::ceres {

namespace {

using json::Kind;
using json::Node;

constexpr std::string_view kMetricName = "metricName";
constexpr std::string_view kTags = "tags";
constexpr std::string_view kTagsDot = "tags.";
constexpr std::size_t kPatternsMax = 100;
constexpr std::size_t kPatternBytesMax = 1024;

// Bytes of the first character: one, and those of UTF-8 that continue it.
std::size_t character_bytes(std::string_view text) {
  std::size_t n = 1;
  while (n < text.size() && n < 4 && (static_cast<unsigned char>(text[n]) & 0xc0) == 0x80) ++n;
  return n;
}

bool names(std::string_view field, std::string_view key) {
  return field == kTags || (field.starts_with(kTagsDot) && matches_wildcard(field.substr(kTagsDot.size()), key));
}

Status add_filter(Search& out, const Node& node, const std::string& place) {
  if (node.kind != Kind::object) return fail(Code::invalid, place + " must be an object");
  std::string_view key;
  std::string_view value;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Node& child = node.children[i];
    if (child.kind != Kind::string && child.kind != Kind::null) {
      return fail(Code::invalid, place + "." + std::string(node.names[i].substr(0, 100)) + " must be a string");
    }
    if (node.names[i] == "filterKey") {
      key = child.text;
    } else if (node.names[i] == "filterValue") {
      value = child.text;
    } else {
      return fail(Code::invalid, place + " has no field " + in_quotes(node.names[i]) + "; filterKey, filterValue");
    }
    if (child.kind == Kind::null) (node.names[i] == "filterKey" ? key : value) = {};
  }
  if (is_blank(key) || is_blank(value)) return {};  // such a filter says nothing
  if (value.size() > kPatternBytesMax) return fail(Code::invalid, place + ".filterValue is longer than 1024 bytes");
  if (key == kMetricName) {
    out.metric_patterns.emplace_back(value);
  } else if (key.starts_with(kTagsDot) && key.size() > kTagsDot.size()) {
    out.tag_patterns.push_back({std::string(key.substr(kTagsDot.size())), std::string(value)});
  } else {
    return fail(Code::invalid, place + ".filterKey " + in_quotes(key) + " is neither metricName nor tags.<key>");
  }
  return {};
}

Status add_fields(std::vector<std::string>& out, const Node& list, const std::string& place) {
  if (list.kind == Kind::null) return {};
  if (list.kind != Kind::array) return fail(Code::invalid, place + " must be an array");
  if (list.children.size() > kPatternsMax) return fail(Code::invalid, place + " has more than 100 entries");
  for (const Node& field : list.children) {
    if (field.kind != Kind::string || field.text.size() > kPatternBytesMax) {
      return fail(Code::invalid, place + " must hold strings of at most 1024 bytes");
    }
    const bool known = field.text == kMetricName || field.text == kTags ||
                       (field.text.starts_with(kTagsDot) && field.text.size() > kTagsDot.size());
    if (!known)
      return fail(Code::invalid, place + ": " + in_quotes(field.text) + " is none of metricName, tags, tags.<key>");
    out.emplace_back(field.text);
  }
  return {};
}

Status set_count(std::uint64_t& out, const Node& node, const std::string& place) {
  if (node.kind == Kind::null) return {};
  const char* const begin = node.text.data();
  const char* const end = begin + node.text.size();
  const auto [at, error] = std::from_chars(begin, end, out);
  if (node.kind == Kind::number && error == std::errc{} && at == end) return {};
  return fail(Code::invalid, place + " must be a whole number, 0 or more");
}

Status add_member(Search& out, std::string_view name, const Node& node) {
  if (name == "includeFields") return add_fields(out.include_fields, node, "includeFields");
  if (name == "excludeFields") return add_fields(out.exclude_fields, node, "excludeFields");
  if (name == "offset") return set_count(out.paging.offset, node, "offset");
  if (name == "limit") return set_count(out.paging.limit, node, "limit");
  if (name != "filter") {
    return fail(Code::invalid,
                "the body has no field " + in_quotes(name) + "; filter, includeFields, excludeFields, offset, limit");
  }
  if (node.kind == Kind::null) return {};
  if (node.kind != Kind::array) return fail(Code::invalid, "filter must be an array");
  if (node.children.size() > kPatternsMax) return fail(Code::invalid, "filter has more than 100 entries");
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    VARVE_RETURN_IF_ERROR(add_filter(out, node.children[i], "filter[" + std::to_string(i) + "]"));
  }
  return {};
}

}  // namespace

// The place behind the last '*' is where a text that does not go on as the pattern does is tried again, one character
// further on: no more than text × pattern steps.
bool matches_wildcard(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      t += character_bytes(text.substr(t));
      continue;
    }
    const std::size_t literal = p + (p + 1 < pattern.size() && pattern[p] == '\\' ? 1 : 0);
    if (literal < pattern.size() && pattern[literal] == text[t]) {
      p = literal + 1;
      ++t;
      continue;
    }
    if (star == std::string_view::npos) return false;
    p = star;
    star_text += character_bytes(text.substr(star_text));
    t = star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool has_wildcard(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '*' || pattern[i] == '?') {
      return true;
    }
  }
  return false;
}

std::string wildcard_literal(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    out += pattern[i];
  }
  return out;
}

std::string wildcard_regex(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == '*' || c == '?') {
      out += c == '*' ? ".*" : ".";
      continue;
    }
    if (c == '\\' && i + 1 < pattern.size()) c = pattern[++i];
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c < 0;
    if (c == '\0') {
      out += "\\x00";
    } else {
      if (!plain) out += '\\';
      out += c;
    }
  }
  return out;
}

bool Search::shows_metric() const {
  const auto has = [](const std::vector<std::string>& fields) {
    return std::ranges::find(fields, kMetricName) != fields.end();
  };
  return (include_fields.empty() || has(include_fields)) && !has(exclude_fields);
}

bool Search::shows_tag(std::string_view key) const {
  const auto has = [&](const std::vector<std::string>& fields) {
    return std::ranges::any_of(fields, [&](const std::string& field) { return names(field, key); });
  };
  return (include_fields.empty() || has(include_fields)) && !has(exclude_fields);
}

bool Search::shows_tags() const {
  if (std::ranges::find(exclude_fields, kTags) != exclude_fields.end()) return false;
  return include_fields.empty() ||
         std::ranges::any_of(include_fields, [](const std::string& field) { return field != kMetricName; });
}

Result<Search> parse_search(std::string_view text) {
  json::Reader reader(text);
  VARVE_ASSIGN_OR_RETURN(const Node root, json::read_strict(reader));
  if (root.kind != Kind::object) return fail(Code::invalid, "the body must be a JSON object");
  Search out;
  for (std::size_t i = 0; i < root.names.size(); ++i) {
    VARVE_RETURN_IF_ERROR(add_member(out, root.names[i], root.children[i]));
  }
  return out;
}

}  // namespace varve::protocol::ceres
