// SPDX-License-Identifier: Apache-2.0
// Loki's push. A client drops a request after a 400 and repeats it after a 429 or 5xx: so all of a request is kept, or
// nothing.
#include <string>
#include <utility>

#include "api/loki/handlers.h"
#include "api/shared/writing.h"
#include "http/media_type.h"
#include "protocol/loki/push.h"

namespace varve::api {

void push_lines(const LokiParts& parts, const Request& request, const Responder& answer) {
  static_assert(http::kBodyPadding >= protocol::messages::kBodyPadding);
  const MessageIngest& ingest = *parts.ingest;
  const auto type = http::parse_media_type(request.header("content-type"));
  const bool is_json = type && type->essence == "application/json";
  if (!is_json && (!type || type->essence != "application/x-protobuf")) {
    return answer(request.error(400, "a push is application/json or application/x-protobuf, as its Content-Type says"));
  }
  const auto limits = ingest.limits();
  message::Batch batch;
  const Status parsed = is_json ? protocol::loki::parse_push_json(request.body, limits, batch)
                                : protocol::loki::parse_push_protobuf(request.body, limits, batch);
  if (!parsed) {
    ingest.count_rejected(parsed.error().code);
    return answer(request.error(400, parsed.error().message));
  }
  ingest.count_shed(limits);
  Response response = Response::empty(204);
  if (const auto dropped = limits.shed ? limits.shed->total() : 0; dropped != 0) {
    response = request.error(429, std::to_string(dropped) + " of " + std::to_string(dropped + batch.rows()) +
                                      " entries are dropped, the others are kept: " + limits.shed->why);
  }
  ingest.append(request.tenant, batch, when_stored(request, answer, std::move(response)));
}

}  // namespace varve::api
