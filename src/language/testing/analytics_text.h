// SPDX-License-Identifier: Apache-2.0
// For tests: a query of messages as one line of text.
//
//   MessageTable 5..9 where (Source="a" & Level in ..4) select Source ModuleId sort Source down limit 3
#pragma once

#include <limits>
#include <string>

#include "language/analytics/query.h"

namespace varve::language::testing {

inline std::string text_of(const message::Term& term) {
  using message::Op;
  const bool is_field = term.column == message::Column::field;
  const auto bound = [](std::int64_t at) {
    using Limits = std::numeric_limits<std::int64_t>;
    return at == Limits::min() || at == Limits::max() ? std::string() : std::to_string(at);
  };
  std::string out = is_field ? "field " + term.field : std::string(message::name_of(term.column).key);
  const auto with = [&](std::string_view word) {
    return out + std::string(word) + (term.column == message::Column::id ? "<id>" : "\"" + term.text + "\"");
  };
  switch (term.op) {
    case Op::equal: return with("=");
    case Op::not_equal: return with("≠");
    case Op::in_range: return out + " in " + bound(term.low) + ".." + bound(term.high);
    case Op::not_in_range: return out + " not in " + bound(term.low) + ".." + bound(term.high);
    case Op::prefix: return with("^");
    case Op::regex: return with("~");
    case Op::contains: return with(" has ");
    case Op::word: return with(" word ");
    case Op::word_prefix: return with(" word^");
  }
  return "?";
}

inline std::string text_of(const message::Condition& condition) {
  using Kind = message::Condition::Kind;
  if (condition.kind == Kind::term) return text_of(condition.term);
  std::string out = condition.kind == Kind::none ? "!(" : "(";
  for (const auto& part : condition.parts) {
    if (&part != condition.parts.data()) out += condition.kind == Kind::all ? " & " : " | ";
    out += text_of(part);
  }
  return out + ")";
}

// "MessageTable", times, and what else there is.
inline std::string text_of(const analytics::AnalyticsQuery& query) {
  std::string out = query.table.name + " " + std::to_string(query.first_us) + "..";
  out += query.last_us == std::numeric_limits<std::int64_t>::max() ? "" : std::to_string(query.last_us);
  if (!query.condition.parts.empty()) out += " " + text_of(query.condition);
  if (query.asks_of_id) out += " of ids";
  out += " select";
  for (const auto& one : query.select) {
    out += " " + one.name + (one.window_us == 0 ? "" : std::to_string(one.window_us / 1'000'000));
  }
  if (!query.sort.empty()) out += " sort";
  for (const std::size_t place : query.sort) out += " " + query.select[place].name;
  if (query.sort_down) out += " down";
  if (query.limit) out += " limit " + std::to_string(*query.limit);
  if (query.counts) out += " counts";
  if (query.follow) out += " follow";
  if (query.lists_ids()) out += " lists ids";
  return out;
}

}  // namespace varve::language::testing
