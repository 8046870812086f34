// SPDX-License-Identifier: Apache-2.0
#include "logs/fields.h"

#include <algorithm>
#include <array>

#include "base/hex.h"
#include "message/column.h"
#include "protocol/json/tree_writer.h"
#include "protocol/json/writer.h"

namespace varve::logs {
namespace {

using protocol::json::Kind;
using protocol::json::Node;

bool is_plain(char c) { return static_cast<unsigned char>(c) > ' ' && c != '"' && c != '=' && c != 127; }

// U+0080 to U+009F in UTF-8: terminals take them for commands, too.
bool is_control(std::string_view text, std::size_t i) {
  return text[i] == '\xc2' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
}

bool is_plain(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_plain(text[i]) || is_control(text, i)) return false;
  }
  return !text.empty();
}

void append_escaped(std::string& out, char c) { append_hex(out += "\\u00", {&c, 1}); }

}  // namespace

void append_pair(std::string& out, std::string_view key, std::string_view value) {
  out += ' ';
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool control = is_control(key, i);
    out += is_plain(key[i]) && !control ? key[i] : '_';
    if (control) ++i;
  }
  out += '=';
  if (is_plain(value)) {
    out += value;
    return;
  }
  out += '"';
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else if (static_cast<unsigned char>(c) < ' ' || c == 127) {
      append_escaped(out, c);
    } else if (is_control(value, i)) {
      append_escaped(out, value[++i]);
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string value_text(const Node& value) {
  if (value.kind != Kind::array && value.kind != Kind::object) return std::string(value.text);
  std::string out;
  protocol::json::Writer json(out);
  append_node(json, value);
  return out;
}

bool is_column(std::string_view name) {
  constexpr std::array<std::string_view, 3> kOfObjects{"ObjectId", "ObjectLog", "SystemLog"};
  if (name.empty()) return false;  // as a column is called that these tables do not have
  return std::ranges::find(message::kColumnNames, name, &message::ColumnName::contrail) !=
             message::kColumnNames.end() ||
         std::ranges::find(kOfObjects, name) != kOfObjects.end();
}

void append_field_pairs(std::string& out, const Node& row, const Options& options) {
  const auto append = [&out](std::string_view name, const Node& value) {
    if (value.kind != Kind::null) append_pair(out, name, value_text(value));
  };
  if (options.fields.empty()) {
    for (std::size_t i = 0; i < row.names.size(); ++i) {
      if (!is_column(row.names[i])) append(row.names[i], row.children[i]);
    }
    return;
  }
  for (const std::string& name : options.fields) {
    if (const Node* const found = row.find(name)) append(name, *found);
  }
}

}  // namespace varve::logs
