// SPDX-License-Identifier: Apache-2.0
// Messages as NDJSON or as a JSON array. Good lines are kept, bad ones named by number and reason.
#include <memory>
#include <utility>

#include "api/messages/routes.h"
#include "api/shared/message_ingest.h"
#include "api/shared/routes.h"
#include "api/shared/writing.h"
#include "message/builder.h"
#include "protocol/messages/answer.h"
#include "protocol/messages/ndjson.h"

namespace varve::api {
namespace {

namespace messages = protocol::messages;

struct MessagePutParts {
  MessageIngest ingest;
};

Result<messages::Options> options_of(const Request& request, const MessageIngest& ingest) {
  messages::Options options;
  const auto precision = messages::precision_of(request.param("precision").value_or("us"));
  if (!precision) return fail(Code::invalid, "precision must be s, ms, us or ns");
  options.precision = *precision;
  const auto objects = request.param("objects").value_or("");
  if (!objects.empty() && objects != "xml") return fail(Code::invalid, "objects must be xml, if it is given");
  options.names_in_xml = objects == "xml";
  options.now_us = ingest.now_us();
  options.limits = ingest.limits();
  return options;
}

void put_messages(const MessagePutParts& parts, const Request& request, const Responder& answer) {
  static_assert(http::kBodyPadding >= messages::kBodyPadding);
  const auto options = options_of(request, parts.ingest);
  if (!options) return answer(request.error(options.error()));
  message::Batch batch;
  const auto outcome = messages::parse_messages(request.body, *options, batch);
  parts.ingest.count_rejected(outcome);
  parts.ingest.count_shed(options->limits);
  const int bad = outcome.count(Code::unavailable) != 0 ? 429 : 400;
  Response response =
      outcome.rejected == 0 ? Response::empty(204) : with_retry(Response::own_json(bad, messages::answer_of(outcome)));
  parts.ingest.append(request.tenant, batch, when_stored(request, answer, std::move(response)));
}

constexpr Route<MessagePutParts> kMessageRoutes[] = {
    {Method::post, "/api/v1/messages", Itself{put_messages}, Effect::writes},
};

}  // namespace

void add_message_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const auto parts = std::make_shared<const MessagePutParts>(MessagePutParts{MessageIngest(context, "ndjson")});
  add_routes(router, parts, kMessageRoutes, http::plain_error);
}

}  // namespace varve::api
