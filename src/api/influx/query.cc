// SPDX-License-Identifier: Apache-2.0
#include "api/influx/query.h"

#include <algorithm>

#include "api/influx/handlers.h"
#include "http/url.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

using protocol::json::Writer;

// Words in upper case, one blank between them; what is in double quotes is left out: it is a name.
std::string shape_of(std::string_view statement) {
  std::string out;
  bool quoted = false;
  for (const char c : statement) {
    if (c == '"') quoted = !quoted;
    if (quoted || c == '"') continue;
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// What a statement's result has besides its number.
void append_result(Writer& json, std::string_view statement, std::string_view tenant) {
  const std::string shape = shape_of(statement);
  const auto is = [&](std::string_view begin) { return shape.starts_with(begin); };
  if (is("CREATE DATABASE") || is("CREATE RETENTION POLICY") || is("ALTER RETENTION POLICY")) return;
  if (is("SHOW DATABASES")) {
    json.key("series").begin_array().begin_object().member("name", "databases");
    json.key("columns").raw(R"(["name"])").key("values").begin_array().begin_array().value(tenant);
    json.end_array().end_array().end_object().end_array();
    return;
  }
  if (is("SHOW RETENTION POLICIES")) {
    json.key("series").raw(R"([{"columns":["name","duration","shardGroupDuration","replicaN","default"],)"
                           R"("values":[["autogen","0s","168h0m0s",1,true]]}])");
    return;
  }
  json.member("error",
              "not supported here: " + std::string(statement.substr(0, 200)) +
                  "; what was written is read by /api/v1/datapoints/query (KairosDB) and /api/query (OpenTSDB)");
}

}  // namespace

std::vector<std::string> split_statements(std::string_view q) {
  std::vector<std::string> out;
  std::string current;
  char quote = 0;
  const auto finish = [&] {
    const auto first = current.find_first_not_of(" \t\r\n");
    if (first != std::string::npos) {
      out.push_back(current.substr(first, current.find_last_not_of(" \t\r\n") - first + 1));
    }
    current.clear();
  };
  for (std::size_t i = 0; i < q.size(); ++i) {
    const char c = q[i];
    if (quote != 0 && c == '\\' && i + 1 < q.size()) {
      current += c;
      current += q[++i];
      continue;
    }
    if (quote == 0 && c == ';') {
      finish();
      continue;
    }
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
    current += c;
  }
  finish();
  return out;
}

std::string influx_results(const std::vector<std::string>& statements, std::string_view tenant) {
  std::string out;
  Writer json(out);
  json.begin_object().key("results").begin_array();
  for (std::size_t i = 0; i < statements.size(); ++i) {
    json.begin_object().member("statement_id", i);
    append_result(json, statements[i], tenant);
    json.end_object();
  }
  json.end_array().end_object();
  return out += '\n';
}

void answer_influx_query(const InfluxParts&, const Request& request, const Responder& answer) {
  std::string q(request.param("q").value_or(""));
  if (q.empty() && request.header("content-type").starts_with("application/x-www-form-urlencoded")) {
    http::Parameters form;
    if (const Status parsed = http::parse_query(request.body, form); !parsed)
      return answer(request.error(parsed.error()));
    const auto found = std::find_if(form.begin(), form.end(), [](const auto& p) { return p.first == "q"; });
    if (found != form.end()) q = found->second;
  }
  const auto statements = split_statements(q);
  if (statements.empty()) return answer(request.error(400, "missing required parameter \"q\""));
  answer(Response::json(200, influx_results(statements, request.tenant)));
}

}  // namespace varve::api
