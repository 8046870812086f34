// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/query.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "language/analytics/members.h"
#include "language/analytics/selection.h"
#include "language/analytics/subject.h"
#include "language/analytics/terms.h"
#include "language/analytics/time.h"
#include "message/matches.h"

namespace varve::language::analytics {
namespace {

using message::Condition;
using protocol::json::Kind;

constexpr std::array<std::string_view, 11> kMembers{"table",       "start_time", "end_time", "select_fields",
                                                    "where",       "filter",     "limit",    "aggregate",
                                                    "sort_fields", "sort",       "follow"};
// Of flows and sessions; clients send them as null.
constexpr std::array<std::string_view, 3> kFlowMembers{"dir", "session_type", "is_service_instance"};

Status parse_table(const Node& body, const Context& context, AnalyticsQuery& query) {
  VARVE_ASSIGN_OR_RETURN(const Node* node, required(body, "table", ""));
  VARVE_ASSIGN_OR_RETURN(const std::string_view name, text_of(*node, "table"));
  const Table* const table = context.tables.find(name);
  if (table == nullptr) return fail(Code::not_found, "there is no table " + quoted(name));
  query.table = *table;
  return {};
}

Result<std::int64_t> time_of(const Node& node, std::string_view name, const Context& context) {
  if (node.kind != Kind::number && node.kind != Kind::string) {
    return fail(Code::invalid, std::string(name) + " is neither a number nor a text");
  }
  auto time = parse_time(node.text, context.now_us);
  if (!time) return fail(Code::invalid, std::string(name) + ": " + time.error().message);
  return time;
}

Status parse_range(const Node& body, const Context& context, AnalyticsQuery& query) {
  VARVE_ASSIGN_OR_RETURN(const Node* start, required(body, "start_time", ""));
  VARVE_ASSIGN_OR_RETURN(query.first_us, time_of(*start, "start_time", context));
  query.last_us = std::numeric_limits<std::int64_t>::max();
  if (query.follow && body.find("end_time") == nullptr) return {};
  VARVE_ASSIGN_OR_RETURN(const Node* end, required(body, "end_time", ""));
  VARVE_ASSIGN_OR_RETURN(const std::int64_t last_us, time_of(*end, "end_time", context));
  if (query.first_us > last_us) {
    return fail(Code::unsupported,
                "start_time " + std::to_string(query.first_us) + " is after end_time " + std::to_string(last_us));
  }
  if (!query.follow) query.last_us = last_us;
  return {};
}

Status parse_limit(const Node& body, AnalyticsQuery& query) {
  const Node* const node = body.find("limit");
  if (node == nullptr) return {};
  VARVE_ASSIGN_OR_RETURN(const std::int64_t limit, whole_number_of(*node, "limit"));
  if (limit < 1) return fail(Code::invalid, "limit " + std::to_string(limit) + " is less than 1");
  query.limit = static_cast<std::uint64_t>(limit);
  return {};
}

Status parse_follow(const Node& body, AnalyticsQuery& query) {
  const Node* const node = body.find("follow");
  if (node == nullptr) return {};
  if (node->kind != Kind::boolean) return fail(Code::invalid, "follow is neither true nor false");
  query.follow = node->text == "true";
  return {};
}

// Ids are made of a message's place in the store, which is not known when it comes.
bool names_id(const AnalyticsQuery& query) {
  const auto is_id = [](const Ask& ask) {
    return ask.condition.kind == Condition::Kind::term && ask.condition.term.column == message::Column::id;
  };
  for (const Groups* groups : {&query.where, &query.filter}) {
    for (const auto& group : *groups) {
      if (std::ranges::any_of(group, is_id)) return true;
    }
  }
  return std::ranges::any_of(query.select, [](const Selected& one) {
    return one.of == Selected::Of::column && one.column == message::Column::id;
  });
}

// What is followed has no end, so nothing can be told of all of it.
Status check_follow(const AnalyticsQuery& query) {
  if (!query.follow) return {};
  if (!query.sort.empty()) return fail(Code::unsupported, "what is followed comes as it arrives: it cannot be sorted");
  if (query.counts) return fail(Code::unsupported, "what is followed cannot be counted");
  if (query.lists_ids() || query.table.kind == TableKind::stat) {
    return fail(Code::unsupported, "messages can be followed, lists of values cannot");
  }
  if (names_id(query)) return fail(Code::unsupported, "id cannot be asked for while messages are followed");
  return {};
}

Status parse_conditions(const Node& body, const Context& context, AnalyticsQuery& query) {
  std::size_t terms = 0;
  if (const Node* const where = body.find("where")) {
    VARVE_ASSIGN_OR_RETURN(query.where, parse_where(*where, query.table, context, terms));
  }
  if (const Node* const filter = body.find("filter")) {
    VARVE_ASSIGN_OR_RETURN(query.filter, parse_filter(*filter, query.table, context, terms));
  }
  for (const Groups* groups : {&query.where, &query.filter}) {
    for (const auto& group : *groups) {
      for (const Ask& ask : group) query.asks_of_id |= ask.of == Ask::Of::object_id;
    }
  }
  return {};
}

// A row with one log column selected, and that one empty, is not part of the answer.
Condition log_condition(const AnalyticsQuery& query) {
  bool object_log = false, system_log = false;
  for (const Selected& one : query.select) {
    object_log |= one.of == Selected::Of::object_log;
    system_log |= one.of == Selected::Of::system_log;
  }
  return object_log == system_log ? Condition() : fills_object_log(object_log);
}

Condition condition_of(const AnalyticsQuery& query) {
  const auto is_empty = [](const Condition& one) { return one.kind == Condition::Kind::all && one.parts.empty(); };
  Condition out;
  for (Condition& part :
       std::array{in_table(query.table), log_condition(query), condition_of(query.where), condition_of(query.filter)}) {
    if (!is_empty(part)) out.parts.push_back(std::move(part));
  }
  return out;
}

Status parse_body(const Node& body, const Context& context, AnalyticsQuery& query) {
  VARVE_RETURN_IF_ERROR(check_members(body, kMembers, kFlowMembers, ""));
  VARVE_RETURN_IF_ERROR(parse_table(body, context, query));
  VARVE_RETURN_IF_ERROR(parse_follow(body, query));
  VARVE_RETURN_IF_ERROR(parse_range(body, context, query));
  VARVE_RETURN_IF_ERROR(parse_limit(body, query));
  VARVE_RETURN_IF_ERROR(parse_selection(body, context, query));
  VARVE_RETURN_IF_ERROR(parse_conditions(body, context, query));
  VARVE_RETURN_IF_ERROR(check_follow(query));
  query.condition = condition_of(query);
  return {};
}

// A condition on an object's id, or two of them, may be fulfilled by a message none of whose rows fulfils it: then the
// condition on messages says too much to delete by it.
Status check_exact(const AnalyticsQuery& query) {
  for (const auto& group : query.where) {
    const auto of_id = [](const Ask& ask) { return ask.of == Ask::Of::object_id; };
    if (std::ranges::count_if(group, of_id) > 1) {
      return fail(Code::unsupported, "a delete takes one ObjectId in each list of terms");
    }
    const auto negated = [&](const Ask& ask) { return of_id(ask) && message::negates(ask.term.op); };
    if (std::ranges::any_of(group, negated)) {
      return fail(Code::unsupported, "a delete does not take an ObjectId that a message must not have");
    }
  }
  return {};
}

Status parse_delete_body(const Node& body, const Context& context, AnalyticsQuery& query) {
  constexpr std::array<std::string_view, 4> kDeleteMembers{"table", "start_time", "end_time", "where"};
  VARVE_RETURN_IF_ERROR(check_members(body, kDeleteMembers, {}, ""));
  VARVE_RETURN_IF_ERROR(parse_table(body, context, query));
  if (query.table.kind == TableKind::stat) return fail(Code::unsupported, "of this table nothing can be deleted");
  VARVE_RETURN_IF_ERROR(parse_range(body, context, query));
  VARVE_RETURN_IF_ERROR(parse_conditions(body, context, query));
  VARVE_RETURN_IF_ERROR(check_exact(query));
  query.condition = condition_of(query);
  return {};
}

Result<AnalyticsQuery> parse(std::string_view body, const Context& context,
                             Status (*parse_members)(const Node&, const Context&, AnalyticsQuery&)) {
  protocol::json::Reader reader(body);
  const auto root = protocol::json::read_strict(reader);
  if (!root) return fail(Code::invalid, "the body is not JSON: " + root.error().message);
  if (root->kind != Kind::object) return fail(Code::invalid, "the body is not a JSON object");
  AnalyticsQuery query;
  VARVE_RETURN_IF_ERROR(parse_members(*root, context, query));
  return query;
}

}  // namespace

Result<AnalyticsQuery> parse_query(std::string_view body, const Context& context) {
  return parse(body, context, parse_body);
}

Result<AnalyticsQuery> parse_delete(std::string_view body, const Context& context) {
  return parse(body, context, parse_delete_body);
}

}  // namespace varve::language::analytics
