// SPDX-License-Identifier: Apache-2.0
#include "api/loki/asking.h"

#include <utility>

#include "api/loki/handlers.h"
#include "api/shared/query_answer.h"
#include "language/logql/condition.h"
#include "language/logql/parser.h"

namespace varve::api {
namespace logql = language::logql;

LokiAsking::LokiAsking(const LokiContext& context, const Request& from, const LokiParameters& given,
                       query::UnderWay& query)
    : source(context.store, from.tenant, query.deadline(), query.budget()),
      request(from),
      parameters(given),
      now_ns(context.clock.now_ms() * 1'000'000),
      rows_max(context.rows_max) {}

Result<message::Condition> LokiAsking::selected_by(std::string_view parameter) const {
  message::Condition out{message::Condition::Kind::any, {}, {}};
  query::Expressions expressions;
  for (const std::string_view text : parameters.all(parameter)) {
    if (text.empty()) continue;
    VARVE_ASSIGN_OR_RETURN(const auto matchers, logql::parse_selector(text, expressions));
    VARVE_ASSIGN_OR_RETURN(out.parts.emplace_back(), logql::condition_of(matchers, source));
  }
  return out.parts.empty() ? message::Condition() : std::move(out);
}

int loki_status_of(Code code) { return code == Code::unsupported ? 400 : query_status_of(code); }

Result<Response> answer_question(const LokiParts& parts, const Request& request, LokiWork work) {
  const LokiContext& context = parts.context;
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(context.engine, request, "loki"));
  VARVE_ASSIGN_OR_RETURN(const auto parameters, LokiParameters::of(request));
  const LokiAsking asking(context, request, parameters, *query);
  const RegexMeter meter([&query] { return query->deadline().check(); });  // of the stages behind a search
  auto made = work(asking);
  if (!meter.status()) made = fail(meter.status().error());
  VARVE_ASSIGN_OR_RETURN(auto body, query->explain(std::move(made)));
  return held_by(std::move(query), Response::json(200, std::move(body)));
}

}  // namespace varve::api
