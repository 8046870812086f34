// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/history_text.h"

#include <charconv>

#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::snmp::inventory {
namespace {

using protocol::json::Kind;
using protocol::json::Node;

constexpr std::size_t kBeforeAttributes = 3;

std::optional<std::int64_t> whole_number(const Node& node) {
  std::int64_t out = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [behind, error] = std::from_chars(node.text.data(), end, out);
  if (node.kind != Kind::number || error != std::errc() || behind != end) return std::nullopt;
  return out;
}

std::optional<Attribute> attribute_of(const Node& node) {
  if (node.kind == Kind::null) return Attribute();
  if (node.kind == Kind::string) return Attribute(std::string(node.text));
  if (const auto number = whole_number(node)) return Attribute(*number);
  return std::nullopt;
}

std::optional<HistoryRow> row_of(const Node& node, std::size_t attributes) {
  if (node.kind != Kind::array || node.children.size() < kBeforeAttributes) return std::nullopt;
  const Node& name = node.children[0];
  const auto begin = whole_number(node.children[1]);
  HistoryRow out{.name = std::string(name.text),
                 .attributes = {},
                 .begin = begin.value_or(0),
                 .end = whole_number(node.children[2])};
  if (name.kind != Kind::string || !begin || (!out.end && node.children[2].kind != Kind::null)) return std::nullopt;
  for (std::size_t i = kBeforeAttributes; i < node.children.size(); ++i) {
    auto attribute = attribute_of(node.children[i]);
    if (!attribute) return std::nullopt;
    out.attributes.push_back(std::move(*attribute));
  }
  out.attributes.resize(attributes);
  return out;
}

}  // namespace

std::string history_text(std::span<const HistoryRow> rows) {
  std::string out;
  protocol::json::Writer json(out);
  json.begin_array();
  for (const HistoryRow& row : rows) {
    json.begin_array().value(row.name).value(row.begin);
    if (row.end) {
      json.value(*row.end);
    } else {
      json.null();
    }
    for (const Attribute& attribute : row.attributes) {
      if (const auto* const text = std::get_if<std::string>(&attribute)) {
        json.value(*text);
      } else if (const auto* const number = std::get_if<std::int64_t>(&attribute)) {
        json.value(*number);
      } else {
        json.null();
      }
    }
    json.end_array();
  }
  json.end_array();
  return out;
}

std::optional<std::vector<HistoryRow>> history_of_text(HistoryKind kind, std::string_view text) {
  protocol::json::Reader reader(text);
  const auto root = protocol::json::read_strict(reader);
  if (!root || root->kind != Kind::array) return std::nullopt;
  std::vector<HistoryRow> out;
  for (const Node& node : root->children) {
    auto row = row_of(node, attributes_of(kind).size());
    if (!row) return std::nullopt;
    out.push_back(std::move(*row));
  }
  return out;
}

}  // namespace varve::snmp::inventory
