// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/followed_rows.h"

#include <algorithm>
#include <array>
#include <vector>

#include "message/matches.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::language::analytics {
namespace {

using protocol::json::Kind;
using protocol::json::Node;

constexpr std::array<std::string_view, 4> kNotOfMessages = {"start_time", "end_time", "limit", "follow"};

void append_canonical(protocol::json::Writer& json, const Node& node, bool is_root = false) {
  switch (node.kind) {
    case Kind::string: json.value(node.text); return;
    case Kind::none:
    case Kind::null: json.null(); return;
    case Kind::number:
    case Kind::boolean: json.raw(node.text); return;
    case Kind::array:
      json.begin_array();
      for (const Node& item : node.children) append_canonical(json, item);
      json.end_array();
      return;
    case Kind::object: break;
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const bool matters = !is_root || std::ranges::find(kNotOfMessages, node.names[i]) == kNotOfMessages.end();
    if (matters && node.children[i].kind != Kind::null) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return node.names[i]; });
  json.begin_object();
  for (const std::size_t i : order) append_canonical(json.key(node.names[i]), node.children[i]);
  json.end_object();
}

}  // namespace

std::string question_key(std::string_view body) {
  protocol::json::Reader reader(body);
  const auto root = protocol::json::read_strict(reader);
  std::string out;
  protocol::json::Writer json(out);
  if (root) append_canonical(json, *root, true);
  return out;
}

bool FollowedRows::asks_for(message::RowView row) {
  time_us_ = row.time_us();
  of_message_ = message::matches(query_.condition, row) ? rows_.read(row) : 0;
  return of_message_ > 0;
}

void FollowedRows::append(query::Findings& out) {
  for (std::size_t i = 0; i < of_message_; ++i) {
    rows_.append_json(out.text, i);
    out.text += '\n';
    out.lines.push_back({out.text.size(), time_us_});
  }
}

}  // namespace varve::language::analytics
