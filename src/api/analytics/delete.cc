// SPDX-License-Identifier: Apache-2.0
// POST /api/v1/messages/delete: messages of a time that fulfil a condition go.
#include "api/analytics/handlers.h"
#include "api/shared/query_answer.h"
#include "base/log.h"
#include "base/printable.h"
#include "model/instant.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;

constexpr std::int64_t kUsPerMs = 1000;

void tell_delete(const Request& request, std::int64_t first_us, std::int64_t last_us,
                 const Result<std::uint64_t>& deleted) {
  const std::string from = model::instant(first_us / kUsPerMs);
  const std::string to = model::instant(last_us / kUsPerMs);
  // The condition is the sender's, and may be long.
  constexpr std::size_t kShownMost = 500;
  const std::string asked = printable(request.body.substr(0, kShownMost));
  if (deleted) {
    log::info("messages are deleted", {{"tenant", request.tenant},
                                       {"peer", request.peer},
                                       {"from", from},
                                       {"to", to},
                                       {"asked", asked},
                                       {"deleted", *deleted}});
  } else {
    log::warn(
        "messages are not deleted, or not all of them",
        {{"tenant", request.tenant}, {"peer", request.peer}, {"asked", asked}, {"error", deleted.error().message}});
  }
}

}  // namespace

// It is one of the running queries, and may take as long as it likes: it ends when it is killed, or nobody waits for
// it.
Result<Response> delete_messages(const AnalyticsParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto question, analytics::read_question(parts.store, request.tenant, request.body,
                                                                       parts.source.now_us(), analytics::parse_delete));
  const auto& asked = question->asked;
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(parts.source.engine, request, "messages_delete"));
  const auto go_on = [&request]() -> Status {
    if (!request.gone->load()) return {};
    return fail(Code::cancelled, "the delete was cancelled");
  };
  const auto deleted = query->explain(
      parts.store.delete_messages(request.tenant, asked.first_us, asked.last_us, asked.condition, go_on));
  tell_delete(request, asked.first_us, asked.last_us, deleted);
  if (!deleted) return fail(deleted.error());
  std::string body;
  protocol::json::Writer json(body);
  json.begin_object().member("deleted", *deleted).end_object();
  return Response::own_json(200, std::move(body));
}

}  // namespace varve::api
