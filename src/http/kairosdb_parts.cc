// SPDX-License-Identifier: Apache-2.0
#include "http/kairosdb_parts.h"

#include <algorithm>
#include <utility>

#include "http/answer.h"
#include "protocol/kairosdb/datapoints.h"
#include "query/expression.h"

namespace varve::http {

namespace kairosdb = protocol::kairosdb;

Response kairosdb_response(int status, std::string body) {
  Response response = Response::json(status, std::move(body));
  response.content_type = "application/json;charset=utf-8";
  response.headers = {{"Pragma", "no-cache"}, {"Cache-Control", "no-cache"}, {"Expires", "0"}};
  response.pack_small = true;
  return response;
}

std::string kairosdb_version(const std::string& own) { return "KairosDB 1.3.0-1 (varve " + own + ")"; }

Response kairosdb_error(const Error& error) { return kairosdb_error(query_status_of(error.code), error.message); }

Response kairosdb_error(int status, const std::string& message) {
  return with_retry(kairosdb_response(status, kairosdb::render_errors({&message, 1})));
}

Status add_matchers(index::Matchers& matchers, const kairosdb::TagFilter& filter) {
  const auto is_regex = [](const std::string& v) { return v.starts_with(kairosdb::kRegexPrefix); };
  using Kind = index::Matcher::Kind;
  if (std::ranges::none_of(filter.values, is_regex)) {
    matchers.push_back({filter.key, Kind::any_of, filter.values});
    return {};
  }
  std::string expression;
  for (const std::string& value : filter.values) {
    expression += expression.empty() ? "(?:" : "|(?:";
    if (is_regex(value)) {
      const std::string own = value.substr(kairosdb::kRegexPrefix.size());
      VARVE_CHECK_OK(query::check_expression(own));
      expression += own;
    } else {
      query::append_quoted(expression, value);
    }
    expression += ')';
  }
  matchers.push_back({filter.key, Kind::regex, {expression}});
  matchers.push_back({filter.key, Kind::none_of, {""}});  // a series without the tag does not match ".*"
  return {};
}

}  // namespace varve::http
