// SPDX-License-Identifier: Apache-2.0
// Messages as NDJSON or as a JSON array. Good lines are kept, bad ones named by number and reason.
#include <memory>
#include <utility>

#include "api/messages/routes.h"
#include "api/shared/message_ingest.h"
#include "message/builder.h"
#include "protocol/messages/answer.h"
#include "protocol/messages/ndjson.h"

namespace varve::api {
namespace {

namespace messages = protocol::messages;

struct MessagePut {
  MessageIngest ingest;
  void operator()(const Request& request, const Responder& answer) const;
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

void MessagePut::operator()(const Request& request, const Responder& answer) const {
  static_assert(http::kBodyPadding >= messages::kBodyPadding);
  const auto refusal = [](const Error& why) { return with_retry(error_response(status_of(why.code), why.message)); };
  if (const Status writable = MessageIngest::check_tenant(request); !writable) return answer(refusal(writable.error()));
  const auto options = options_of(request, ingest);
  if (!options) return answer(error_response(400, options.error().message));
  message::Batch batch;
  const auto outcome = messages::parse_messages(request.body, *options, batch);
  ingest.count_rejected(outcome);
  ingest.count_shed(options->limits);
  const int bad = outcome.count(Code::unavailable) != 0 ? 429 : 400;
  Response response =
      outcome.rejected == 0 ? Response::empty(204) : with_retry(Response::own_json(bad, messages::answer_of(outcome)));
  ingest.append(request.tenant, batch, [answer, refusal, response = std::move(response)](const Status& status) mutable {
    answer(status ? std::move(response) : refusal(status.error()));
  });
}

}  // namespace

void add_message_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const auto put = std::make_shared<const MessagePut>(MessagePut{MessageIngest(context, "ndjson")});
  router.add(
      Method::post, "/api/v1/messages",
      [put](const Request& request, const Responder& answer) { (*put)(request, answer); }, Effect::writes);
}

}  // namespace varve::api
