// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/correlator.h"

#include <algorithm>
#include <charconv>

#include "snmp/inventory/index_text.h"

namespace varve::snmp::inventory {
namespace {

// Which value a name is: of the parts of the index first, then of the columns. nullopt: there is none of that name.
template <class Values>
const std::string* value_of(const Layout& layout, std::string_view name, const Values& parts, const Values& columns) {
  for (std::size_t i = 0; i < layout.index.size() && i < parts.size(); ++i) {
    if (layout.index[i].name == name) return &parts[i];
  }
  for (std::size_t i = 0; i < layout.columns.size() && i < columns.size(); ++i) {
    if (layout.columns[i].name == name) return &columns[i];
  }
  return nullptr;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The text with the values of what stands in braces.
template <class Values>
std::string filled(const Layout& layout, std::string_view text, const Values& parts, const Values& columns) {
  std::string out;
  for_each_piece(text, [&](std::string_view piece, bool is_name) {
    const std::string* const value = is_name ? value_of(layout, piece, parts, columns) : nullptr;
    if (!is_name) out += piece;
    if (value != nullptr) out += *value;
  });
  return out;
}

std::string made_by(const TagRule& rule, std::string text) {
  if (!rule.until.empty()) text.resize(std::min(text.find(rule.until), text.size()));
  if (!rule.after.empty()) {
    if (const std::size_t at = text.find(rule.after); at != std::string::npos) text.erase(0, at + rule.after.size());
  }
  for (const auto& [from, to] : rule.replace) replace_all(text, from, to);
  return text;
}

}  // namespace

std::optional<std::vector<std::string>> index_texts(const Layout& layout, std::span<const std::uint32_t> index) {
  std::vector<std::string> out;
  for (const IndexPart& part : layout.index) {
    auto text = take_index_text(part, index);
    if (!text) return std::nullopt;
    out.push_back(std::move(*text));
  }
  if (!index.empty()) return std::nullopt;
  return out;
}

std::optional<std::size_t> layout_of(const Correlator& correlator, std::span<const std::uint32_t> index) {
  for (std::size_t i = 0; i < correlator.layouts.size(); ++i) {
    if (index_texts(correlator.layouts[i], index)) return i;
  }
  return std::nullopt;
}

std::optional<Oid> column_index(const Layout& layout, const Column& column, std::span<const std::string> parts,
                                std::span<const std::string> columns) {
  Oid out;
  for (const std::string& name : column.index) {
    const std::string* const text = value_of(layout, name, parts, columns);
    if (text == nullptr) return std::nullopt;
    std::uint32_t number = 0;
    const char* const end = text->data() + text->size();
    const auto [behind, error] = std::from_chars(text->data(), end, number);
    if (error != std::errc() || behind != end) return std::nullopt;
    out.push_back(number);
  }
  return out;
}

std::optional<std::vector<std::string>> tag_values(const Layout& layout, std::span<const std::string> parts,
                                                   std::span<const std::string> columns) {
  for (const RowRule& rule : layout.where) {
    const std::string* const text = value_of(layout, rule.column, parts, columns);
    if ((text != nullptr && *text == rule.value) == rule.negated) return std::nullopt;
  }
  std::vector<std::string> out;
  for (const TagRule& rule : layout.tags) {
    std::string text = made_by(rule, filled(layout, rule.value, parts, columns));
    if (text.empty()) text = filled(layout, rule.otherwise, parts, columns);
    out.push_back(std::move(text));
    if (out.back().empty()) return std::nullopt;
  }
  return out;
}

}  // namespace varve::snmp::inventory
