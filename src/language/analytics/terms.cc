// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/terms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "language/analytics/operators.h"

namespace varve::language::analytics {
namespace {

using message::Condition;
using protocol::json::Kind;

std::string indexed(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

// A list of terms, all of which are to be fulfilled.
Result<std::vector<Ask>> parse_all(const Node& node, const std::string& place, const Table& table,
                                   const Context& context, std::size_t& terms) {
  if (node.kind != Kind::array) return fail(Code::invalid, place + " is not a list");
  if (node.children.empty()) return fail(Code::unsupported, place + " is an empty list: it asks for nothing");
  std::vector<Ask> out;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (++terms > kTermsMax) {
      return fail(Code::invalid, "where and filter have more than " + std::to_string(kTermsMax) + " terms");
    }
    auto ask = parse_ask(node.children[i], table, context);
    if (!ask) return fail(ask.error().code, indexed(place, i) + ": " + ask.error().message);
    out.push_back(*std::move(ask));
  }
  return out;
}

Result<Groups> parse_any(const Node& node, std::string_view place, const Table& table, const Context& context,
                         std::size_t& terms) {
  Groups out;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    VARVE_ASSIGN_OR_RETURN(auto all, parse_all(node.children[i], indexed(place, i), table, context, terms));
    out.push_back(std::move(all));
  }
  return out;
}

Condition combined(Condition::Kind kind, std::vector<Condition> parts) {
  if (parts.size() == 1 && kind != Condition::Kind::none) return std::move(parts.front());
  return {kind, std::move(parts), {}};
}

}  // namespace

Result<Groups> parse_where(const Node& node, const Table& table, const Context& context, std::size_t& terms) {
  if (node.kind != Kind::array) return fail(Code::invalid, "where is not a list of lists of terms");
  if (node.children.empty()) return fail(Code::unsupported, "where is an empty list: it asks for nothing");
  return parse_any(node, "where", table, context, terms);
}

Result<Groups> parse_filter(const Node& node, const Table& table, const Context& context, std::size_t& terms) {
  if (node.kind != Kind::array) return fail(Code::invalid, "filter is not a list");
  if (node.children.empty()) return Groups();
  if (node.children.front().kind == Kind::array) return parse_any(node, "filter", table, context, terms);
  VARVE_ASSIGN_OR_RETURN(auto all, parse_all(node, "filter", table, context, terms));
  return Groups{std::move(all)};
}

Condition condition_of(const Groups& groups) {
  if (groups.empty()) return {};
  std::vector<Condition> any;
  for (const auto& group : groups) {
    std::vector<Condition> all;
    for (const Ask& ask : group) all.push_back(ask.condition);
    any.push_back(combined(Condition::Kind::all, std::move(all)));
  }
  return combined(Condition::Kind::any, std::move(any));
}

Condition fills_object_log(bool fills) {
  std::vector<Condition> kinds;
  for (const auto* const kind : {"6", "7", "11"}) {
    kinds.push_back(Condition::of(*message::make_term(message::Column::kind, "", message::Op::equal, kind)));
  }
  return {fills ? Condition::Kind::any : Condition::Kind::none, std::move(kinds), {}};
}

Condition in_table(const Table& table) {
  if (table.kind != TableKind::object) return {};
  std::vector<Condition> all;
  all.push_back(Condition::of(*message::make_term(message::Column::object, "", message::Op::prefix, table.name + ":")));
  all.push_back(Condition::of(*message::make_term(message::Column::kind, "", message::Op::not_equal, "4")));
  return {Condition::Kind::all, std::move(all), {}};
}

}  // namespace varve::language::analytics
