// SPDX-License-Identifier: Apache-2.0
// POST /analytics/query: all rows in one answer.
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/analytics/field_values.h"
#include "api/analytics/routes.h"
#include "api/shared/endpoint.h"
#include "language/analytics/counted_rows.h"
#include "language/analytics/query.h"
#include "language/analytics/rows.h"
#include "language/analytics/sorted_rows.h"
#include "query/messages/message_search.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;
using analytics::AnalyticsQuery;

constexpr std::int64_t kUsPerMs = 1000;

// Contrail's: a malformed question is 400, one without meaning 404, a table that is not there 410, too many rows 403.
int analytics_status_of(Code code) {
  switch (code) {
    case Code::invalid: return 400;
    case Code::unsupported: return 404;
    case Code::not_found: return 410;
    case Code::limit: return 403;
    default: return query_status_of(code);
  }
}

// One query while it is answered.
class Answering {
 public:
  Answering(const storage::MessageStore& store, std::uint64_t rows_max, const Request& request, query::UnderWay& query)
      : store_(store), rows_max_(rows_max), request_(request), query_(query) {}

  Result<std::string> body(std::int64_t now_us);

 private:
  Result<AnalyticsQuery> read(std::int64_t now_us, std::optional<analytics::Tables>& tables);
  Result<storage::MessageNames> names() const { return store_.message_names(request_.tenant); }
  Status find(const AnalyticsQuery& asked, bool newest_first, const query::MessageSink& sink) const;
  Result<std::vector<std::string>> rows(const AnalyticsQuery& asked, const analytics::Tables& tables);
  Result<std::vector<std::string>> in_order(const AnalyticsQuery& asked, bool newest_first);
  Result<std::vector<std::string>> sorted(const AnalyticsQuery& asked);
  Result<std::vector<std::string>> counted(const AnalyticsQuery& asked);
  Result<std::vector<std::string>> ids(const AnalyticsQuery& asked);
  Result<std::vector<std::string>> values(const AnalyticsQuery& asked, const analytics::Tables& tables);
  Status may_hold(std::size_t rows, std::size_t bytes);  // so many rows and bytes in all

  const storage::MessageStore& store_;
  const std::uint64_t rows_max_;
  const Request& request_;
  query::UnderWay& query_;
  std::size_t charged_ = 0;
};

std::size_t limit_of(const AnalyticsQuery& asked) {
  return asked.limit.value_or(std::numeric_limits<std::size_t>::max());
}

// The names that the tenant's messages have brought along are asked for only where the question needs them.
Result<AnalyticsQuery> Answering::read(std::int64_t now_us, std::optional<analytics::Tables>& tables) {
  std::optional<storage::MessageNames> known;
  Status failed;
  const auto known_field = [&](std::string_view name) {
    if (!known) {
      auto found = names();
      if (!found) failed = fail(found.error());
      known = found ? std::move(*found) : storage::MessageNames{};
    }
    return known->fields.contains(name);
  };
  tables.emplace();
  auto asked = analytics::parse_query(request_.body, {now_us, *tables, known_field});
  VARVE_RETURN_IF_ERROR(failed);
  const bool needs_types =
      asked ? asked->table.kind == analytics::TableKind::stat : asked.error().code == Code::not_found;
  if (!needs_types) return asked;
  VARVE_ASSIGN_OR_RETURN(const auto found, names());
  const std::vector<std::string> types(found.object_types.begin(), found.object_types.end());
  tables.emplace(types);
  return analytics::parse_query(request_.body, {now_us, *tables, known_field});
}

Status Answering::find(const AnalyticsQuery& asked, bool newest_first, const query::MessageSink& sink) const {
  query::MessageSearch search;
  search.tenant = request_.tenant;
  search.first_us = asked.first_us;
  search.last_us = asked.last_us;
  search.condition = asked.condition;
  search.newest_first = newest_first;
  return query::search(store_, search, query_.deadline(), sink);
}

Status Answering::may_hold(std::size_t rows, std::size_t bytes) {
  if (rows > rows_max_) {
    return fail(Code::limit, "the answer has more than " + std::to_string(rows_max_) + " rows (messages.rows_max)");
  }
  if (bytes <= charged_) return {};
  VARVE_RETURN_IF_ERROR(query_.budget().charge(bytes - charged_));
  charged_ = bytes;
  return {};
}

Result<std::vector<std::string>> Answering::in_order(const AnalyticsQuery& asked, bool newest_first) {
  std::vector<std::string> out;
  std::size_t bytes = 0;
  analytics::MessageRows rows(asked);
  const std::size_t limit = limit_of(asked);
  VARVE_RETURN_IF_ERROR(find(asked, newest_first, [&](message::RowView row) -> Result<bool> {
    const std::size_t count = rows.read(row);
    for (std::size_t i = 0; i < count && out.size() < limit; ++i) {
      rows.append_json(out.emplace_back(), i);
      bytes += sizeof(std::string) + out.back().capacity();
      VARVE_RETURN_IF_ERROR(may_hold(out.size(), bytes));
    }
    return out.size() < limit;
  }));
  return out;
}

Result<std::vector<std::string>> Answering::sorted(const AnalyticsQuery& asked) {
  analytics::MessageRows rows(asked);
  analytics::SortedRows kept(asked);
  VARVE_RETURN_IF_ERROR(find(asked, false, [&](message::RowView row) -> Result<bool> {
    const std::size_t count = rows.read(row);
    for (std::size_t i = 0; i < count; ++i) kept.add(rows, i, row);
    VARVE_RETURN_IF_ERROR(may_hold(kept.rows(), kept.bytes()));
    return true;
  }));
  return kept.take();
}

Result<std::vector<std::string>> Answering::counted(const AnalyticsQuery& asked) {
  analytics::MessageRows rows(asked);
  analytics::CountedRows kept(asked);
  VARVE_RETURN_IF_ERROR(find(asked, false, [&](message::RowView row) -> Result<bool> {
    const std::size_t count = rows.read(row);
    for (std::size_t i = 0; i < count; ++i) kept.add(rows, i);
    VARVE_RETURN_IF_ERROR(may_hold(kept.groups(), kept.bytes()));
    return true;
  }));
  return kept.take();
}

Result<std::vector<std::string>> Answering::ids(const AnalyticsQuery& asked) {
  analytics::MessageRows rows(asked);
  std::set<std::string> found;
  std::size_t bytes = 0;
  VARVE_RETURN_IF_ERROR(find(asked, false, [&](message::RowView row) -> Result<bool> {
    const std::size_t count = rows.read(row);
    for (std::size_t i = 0; i < count; ++i) {
      const auto id = rows.value(i, asked.select[0]).text;
      if (found.emplace(id).second) bytes += id.size() + 2 * sizeof(std::string);
    }
    VARVE_RETURN_IF_ERROR(may_hold(found.size(), bytes));
    return true;
  }));
  std::vector<std::string> out;
  for (const std::string& id : found) {
    if (out.size() == limit_of(asked)) break;
    std::string& row = out.emplace_back("{\"ObjectId\":");
    analytics::append_value(row, analytics::Value::of(std::string_view(id)));
    row += '}';
  }
  if (asked.sort_down) std::ranges::reverse(out);
  return out;
}

Result<std::vector<std::string>> Answering::values(const AnalyticsQuery& asked, const analytics::Tables& tables) {
  const auto columns = analytics::columns_asked(asked, tables);
  FieldValues found(asked, columns);
  VARVE_RETURN_IF_ERROR(find(asked, false, [&](message::RowView row) -> Result<bool> {
    found.add(row);
    VARVE_RETURN_IF_ERROR(may_hold(0, found.bytes()));
    return true;
  }));
  auto out = found.rows(std::min<std::size_t>(limit_of(asked), rows_max_ + 1));
  VARVE_RETURN_IF_ERROR(may_hold(out.size(), charged_));
  return out;
}

Result<std::vector<std::string>> Answering::rows(const AnalyticsQuery& asked, const analytics::Tables& tables) {
  if (asked.table.kind == analytics::TableKind::stat) return values(asked, tables);
  if (asked.counts) return counted(asked);
  if (asked.lists_ids()) return ids(asked);
  const analytics::Order order = analytics::order_of(asked);
  return order == analytics::Order::sorted ? sorted(asked) : in_order(asked, order == analytics::Order::time_down);
}

Result<std::string> Answering::body(std::int64_t now_us) {
  std::optional<analytics::Tables> tables;
  VARVE_ASSIGN_OR_RETURN(const AnalyticsQuery asked, read(now_us, tables));
  if (asked.follow) return fail(Code::unsupported, "follow is not supported by this server yet");
  VARVE_ASSIGN_OR_RETURN(const auto found, rows(asked, *tables));
  std::string out = "{\"value\":[";
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i != 0) out += ',';
    out += found[i];
  }
  out += "]}";
  return out;
}

}  // namespace

void add_analytics_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const Endpoint endpoint(context.query_pool, {.status_of = analytics_status_of},
                          QueryMetrics(context.metrics, context.clock, "analytics"));
  const auto answer = [&store = *context.messages, &engine = context.queries, &clock = context.clock,
                       rows_max = context.message_limits.rows_max](const Request& request) -> Result<Response> {
    VARVE_ASSIGN_OR_RETURN(auto query, begin_query(engine, request, "analytics"));
    Answering answering(store, rows_max, request, *query);
    VARVE_ASSIGN_OR_RETURN(auto body, query->explain(answering.body(clock.now_ms() * kUsPerMs)));
    return held_by(std::move(query), Response::json(200, std::move(body)));
  };
  router.add(Method::post, "/analytics/query", endpoint.on_pool(answer));
}

}  // namespace varve::api
