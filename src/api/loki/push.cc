// SPDX-License-Identifier: Apache-2.0
// Loki's push. A client drops a request after a 400 and repeats it after a 429 or 5xx: so all of a request is kept, or
// nothing.
#include <memory>
#include <string>

#include "api/loki/error.h"
#include "api/loki/push_routes.h"
#include "api/shared/message_ingest.h"
#include "http/media_type.h"
#include "protocol/loki/push.h"

namespace varve::api {
namespace {

struct LokiPush {
  MessageIngest ingest;
  void operator()(const Request& request, const Responder& answer) const;
};

void LokiPush::operator()(const Request& request, const Responder& answer) const {
  static_assert(http::kBodyPadding >= protocol::messages::kBodyPadding);
  const auto refuse = [&](const Error& why) { answer(loki_error(status_of(why.code), why.message)); };
  if (const Status writable = MessageIngest::check_tenant(request); !writable) return refuse(writable.error());
  const auto type = http::parse_media_type(request.header("content-type"));
  const bool is_json = type && type->essence == "application/json";
  if (!is_json && (!type || type->essence != "application/x-protobuf")) {
    return answer(loki_error(400, "a push is application/json or application/x-protobuf, as its Content-Type says"));
  }
  const auto limits = ingest.limits();
  message::Batch batch;
  const Status parsed = is_json ? protocol::loki::parse_push_json(request.body, limits, batch)
                                : protocol::loki::parse_push_protobuf(request.body, limits, batch);
  if (!parsed) {
    ingest.count_rejected(parsed.error().code);
    return answer(loki_error(400, parsed.error().message));
  }
  ingest.count_shed(limits);
  Response response = Response::empty(204);
  if (const auto dropped = limits.shed ? limits.shed->total() : 0; dropped != 0) {
    response = loki_error(429, std::to_string(dropped) + " of " + std::to_string(dropped + batch.rows()) +
                                   " entries are dropped, the others are kept: " + limits.shed->why);
  }
  ingest.append(request.tenant, batch, [answer, response = std::move(response)](const Status& status) mutable {
    answer(status ? std::move(response) : loki_error(status_of(status.error().code), status.error().message));
  });
}

}  // namespace

void add_loki_push_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const auto push = std::make_shared<const LokiPush>(LokiPush{MessageIngest(context, "loki")});
  router.add(
      Method::post, "/loki/api/v1/push",
      [push](const Request& request, const Responder& answer) { (*push)(request, answer); }, Effect::writes);
}

}  // namespace varve::api
