// SPDX-License-Identifier: Apache-2.0
// What there is to ask for: tables, their columns, the values of these, and since when there are messages.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "api/analytics/handlers.h"
#include "api/shared/query_answer.h"
#include "language/analytics/answer_rows.h"
#include "message/level.h"
#include "protocol/json/writer.h"
#include "query/messages/found_rows.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;
using protocol::json::Writer;

constexpr std::string_view kTablePath = "/analytics/table/";
constexpr std::string_view kValuesPath = "/column-values";

using Links = std::vector<std::pair<std::string, std::string>>;  // name, href

Response links_response(const Links& links) {
  std::string body;
  Writer json(body);
  json.begin_array();
  for (const auto& [name, href] : links) json.begin_object().member("name", name).member("href", href).end_object();
  json.end_array();
  return Response::json(200, std::move(body));
}

Result<analytics::Tables> tables_of(const analytics::MessageSource& source, const std::string& tenant) {
  VARVE_ASSIGN_OR_RETURN(const auto names, source.store.message_names(tenant));
  const std::vector<std::string> types(names.object_types.begin(), names.object_types.end());
  return analytics::Tables(types);
}

Result<analytics::Table> table_asked(const analytics::MessageSource& source, const Request& request) {
  const std::string name(request.captured("table"));
  VARVE_ASSIGN_OR_RETURN(const auto tables, tables_of(source, request.tenant));
  const analytics::Table* const found = tables.find(name);
  if (found == nullptr) return fail(Code::not_found, "there is no table '" + name.substr(0, 100) + "'");
  return *found;
}

// FieldNames has the values of columns with an index.
bool has_values(const analytics::Table& table, const analytics::SchemaColumn& column) {
  return table.kind != analytics::TableKind::stat && (column.index || column.name == "Level");
}

std::string level_names() {
  std::string body;
  Writer json(body);
  json.begin_array();
  for (std::int32_t level = 0; !message::level_name(level).empty(); ++level) json.value(message::level_name(level));
  json.end_array();
  return body;
}

// The question of FieldNames for all values of one column, of all times.
std::string values_question(const analytics::Table& table, std::string_view column) {
  std::string body;
  Writer json(body);
  json.begin_object().member("table", analytics::kFieldNames).member("start_time", 0);
  json.member("end_time", std::numeric_limits<std::int64_t>::max()).key("select_fields");
  json.begin_array().value("fields.value").end_array().key("where").begin_array().begin_array().begin_object();
  json.member("name", "name").member("value", table.name + ":" + std::string(column)).member("op", 1);
  json.end_object().end_array().end_array().end_object();
  return body;
}

Result<std::string> column_values(analytics::Answering& answering, const analytics::Table& table,
                                  std::string_view column) {
  constexpr std::string_view kBefore = R"({"fields.value":)";
  VARVE_ASSIGN_OR_RETURN(const auto question, answering.read(values_question(table, column)));
  VARVE_ASSIGN_OR_RETURN(const auto rows, analytics::value_rows(answering, *question));
  std::string body;
  Writer json(body);
  json.begin_array();
  for (const std::string& row : rows) {
    json.raw(std::string_view(row).substr(kBefore.size(), row.size() - kBefore.size() - 1));
  }
  json.end_array();
  return body;
}

}  // namespace

void show_start(const AnalyticsParts&, const Request&, const Responder& respond) {
  respond(links_response(
      {{"tables", "/analytics/tables"}, {"query", "/analytics/query"}, {"queries", "/analytics/queries"}}));
}

Result<Response> list_tables(const AnalyticsParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto tables, tables_of(parts.source, request.tenant));
  std::string body;
  Writer json(body);
  json.begin_array();
  for (const auto& [name, table] : tables.all()) {
    json.begin_object().member("name", name).member("type", analytics::kind_name(table.kind));
    if (!table.display_name.empty()) json.member("display_name", table.display_name);
    json.member("href", std::string(kTablePath) + name).end_object();
  }
  json.end_array();
  return Response::json(200, std::move(body));
}

Result<Response> show_table(const AnalyticsParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto table, table_asked(parts.source, request));
  const std::string path = std::string(kTablePath) + table.name;
  return links_response({{"schema", path + "/schema"}, {"column-values", path + std::string(kValuesPath)}});
}

Result<Response> show_schema(const AnalyticsParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto table, table_asked(parts.source, request));
  std::string body;
  Writer json(body);
  json.begin_object().member("type", analytics::kind_name(table.kind)).key("columns").begin_array();
  for (const auto& column : analytics::schema_of(table.kind)) {
    json.begin_object().member("name", column.name).member("datatype", column.datatype);
    json.member("index", column.index).end_object();
  }
  json.end_array().end_object();
  return Response::json(200, std::move(body));
}

Result<Response> list_columns(const AnalyticsParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto table, table_asked(parts.source, request));
  Links links;
  for (const auto& column : analytics::schema_of(table.kind)) {
    if (!has_values(table, column)) continue;
    const std::string name(column.name);
    links.emplace_back(name, std::string(kTablePath) + table.name + std::string(kValuesPath) + "/" + name);
  }
  return links_response(links);
}

Result<Response> list_column_values(const AnalyticsParts& parts, const Request& request) {
  const std::string name(request.captured("column"));
  VARVE_ASSIGN_OR_RETURN(const auto table, table_asked(parts.source, request));
  const auto columns = analytics::schema_of(table.kind);
  const auto column = std::ranges::find(columns, name, &analytics::SchemaColumn::name);
  if (column == columns.end() || !has_values(table, *column)) {
    return fail(Code::unsupported, "there is no list of the values of '" + name.substr(0, 100) + "'");
  }
  if (name == "Level") return Response::json(200, level_names());
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.source.engine, request, "analytics"));
  analytics::Answering answering(parts.source, request.tenant, query, request.gone);
  VARVE_ASSIGN_OR_RETURN(auto body, query->explain(column_values(answering, table, name)));
  return held_by(std::move(query), Response::json(200, std::move(body)));
}

// The time of the oldest message; of a tenant without any, now.
Result<Response> show_data_start(const AnalyticsParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.source.engine, request, "analytics"));
  VARVE_ASSIGN_OR_RETURN(
      const auto first_us,
      query->explain(query::oldest_message(parts.source.store, request.tenant, [query] { return query->check(); })));
  return Response::json(
      200, "{\"analytics_data_start_time\":" + std::to_string(first_us.value_or(parts.source.now_us())) + "}");
}

}  // namespace varve::api
