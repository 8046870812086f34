// SPDX-License-Identifier: Apache-2.0
// POST /api/v1/messages/delete: messages of a time that fulfil a condition go.
#include "api/analytics/delete.h"
#include "api/analytics/answering.h"
#include "api/analytics/errors.h"
#include "api/shared/endpoint.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

Result<Response> delete_messages(storage::MessageStore& store, const Clock& clock, const Request& request) {
  constexpr std::int64_t kUsPerMs = 1000;
  VARVE_ASSIGN_OR_RETURN(
      const auto question,
      read_question(store, request.tenant, request.body, clock.now_ms() * kUsPerMs, language::analytics::parse_delete));
  const auto& asked = question->asked;
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t deleted,
                         store.delete_messages(request.tenant, asked.first_us, asked.last_us, asked.condition));
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
             endpoint.on_pool([&store = *context.messages, &clock = context.clock](const Request& request) {
               return delete_messages(store, clock, request);
             }),
             Effect::deletes);
}

}  // namespace varve::api
