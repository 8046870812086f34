// SPDX-License-Identifier: Apache-2.0
// POST /analytics/query: all rows in one answer, or, as NDJSON, piece by piece.
#include <memory>
#include <string>
#include <utility>

#include "api/analytics/follow_answer.h"
#include "api/analytics/handlers.h"
#include "api/analytics/later_answer.h"
#include "api/analytics/ndjson_answer.h"
#include "api/shared/query_answer.h"
#include "http/media_type.h"
#include "language/analytics/answer_rows.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;
using Question = analytics::MessageQuestion;

Result<std::string> whole_body(analytics::Answering& answering, const Question& question) {
  VARVE_ASSIGN_OR_RETURN(const auto rows, analytics::answer_rows(answering, question));
  std::string out = "{\"value\":[";
  for (std::size_t count = 1;; ++count) {
    const std::size_t end = out.size();
    if (count > 1) out += ',';
    VARVE_ASSIGN_OR_RETURN(const bool is_row, rows->next(out));
    if (!is_row) {
      out.resize(end);
      break;
    }
    if (!rows->is_gathered()) VARVE_RETURN_IF_ERROR(answering.may_hold(count, out.capacity()));
  }
  out += "]}";
  return out;
}

Result<Response> stream_rows(std::unique_ptr<analytics::Answering> answering,
                             std::unique_ptr<const Question> question) {
  const auto query = answering->shared_query();
  VARVE_ASSIGN_OR_RETURN(const auto pieces,
                         query->explain(NdjsonAnswer::open(std::move(answering), std::move(question))));
  Response response;
  response.content_type = kNdjson;
  return streamed(query, std::move(response), pieces);
}

Result<Response> answer_now(const analytics::MessageSource& source, query::Subscriptions& followers,
                            const Request& request) {
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(source.engine, request, "analytics"));
  auto answering = std::make_unique<analytics::Answering>(source, request.tenant, query, request.gone);
  VARVE_ASSIGN_OR_RETURN(auto question, query->explain(answering->read(request.body)));
  const bool is_stream = http::accepts(request.header("accept"), kNdjson);
  if (question->asked.follow) {
    if (!is_stream) return fail(Code::unsupported, "follow needs the header Accept: application/x-ndjson");
    return follow_answer(followers, request, std::move(answering), std::move(question));
  }
  if (is_stream) return stream_rows(std::move(answering), std::move(question));
  VARVE_ASSIGN_OR_RETURN(auto body, query->explain(whole_body(*answering, *question)));
  return held_by(std::move(query), Response::json(200, std::move(body)));
}

}  // namespace

Result<Response> query_messages(const AnalyticsParts& parts, const Request& request) {
  return wants_later(request) ? later_answer(*parts.later, request)
                              : answer_now(parts.source, *parts.followers, request);
}

}  // namespace varve::api
