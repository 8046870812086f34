// SPDX-License-Identifier: Apache-2.0
// POST /api/v1/messages/delete: messages of a time that fulfil a condition go.
#include "api/analytics/delete.h"
#include "api/analytics/answering.h"
#include "api/analytics/errors.h"
#include "api/shared/endpoint.h"
#include "api/shared/query_answer.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

// It is one of the running queries, and may take as long as it likes: it ends when it is killed, or nobody waits for
// it.
Result<Response> delete_messages(storage::MessageStore& store, const query::Engine& engine, const Request& request) {
  constexpr std::int64_t kUsPerMs = 1000;
  VARVE_ASSIGN_OR_RETURN(const auto question,
                         read_question(store, request.tenant, request.body, engine.clock().now_ms() * kUsPerMs,
                                       language::analytics::parse_delete));
  const auto& asked = question->asked;
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(engine, request, "messages_delete"));
  const auto go_on = [&request]() -> Status {
    if (!request.gone->load()) return {};
    return fail(Code::cancelled, "the delete was cancelled");
  };
  VARVE_ASSIGN_OR_RETURN(
      const std::uint64_t deleted,
      query->explain(store.delete_messages(request.tenant, asked.first_us, asked.last_us, asked.condition, go_on)));
  std::string body;
  protocol::json::Writer json(body);
  json.begin_object().member("deleted", deleted).end_object();
  return Response::json(200, std::move(body));
}

}  // namespace

void add_message_delete_route(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const Endpoint endpoint(context.slow_pool, {.status_of = analytics_status_of});  // it may take minutes
  router.add(Method::post, "/api/v1/messages/delete",
             endpoint.on_pool([&store = *context.messages, &engine = context.queries](const Request& request) {
               return delete_messages(store, engine, request);
             }),
             Effect::deletes);
}

}  // namespace varve::api
