// SPDX-License-Identifier: Apache-2.0
// OTLP logs. Good records are kept beside bad ones, which partial_success counts: a client sends none of them again.
#include <memory>
#include <string>

#include "api/otlp/logs_routes.h"
#include "api/shared/message_ingest.h"
#include "http/media_type.h"
#include "protocol/otlp/logs.h"

namespace varve::api {
namespace {

namespace otlp = protocol::otlp;

struct OtlpLogs {
  MessageIngest ingest;
  void operator()(const Request& request, const Responder& answer) const;
};

// The answer has the type of the request.
Response otlp_response(int status, bool is_json, std::string body) {
  Response response = Response::json(status, std::move(body));
  response.content_type = is_json ? "application/json" : "application/x-protobuf";
  return with_retry(std::move(response));
}

Response otlp_refusal(int status, bool is_json, std::string_view why) {
  return otlp_response(status, is_json, is_json ? otlp::status_json(status, why) : otlp::status_protobuf(status, why));
}

void OtlpLogs::operator()(const Request& request, const Responder& answer) const {
  const auto type = http::parse_media_type(request.header("content-type"));
  const bool is_json = type && type->essence == "application/json";
  if (!is_json && (!type || type->essence != "application/x-protobuf")) {
    return answer(otlp_error(415, "OTLP is application/x-protobuf or application/json, as its Content-Type says"));
  }
  const auto refuse = [&](const Error& why) { answer(otlp_refusal(status_of(why.code), is_json, why.message)); };
  if (const Status writable = MessageIngest::check_tenant(request); !writable) return refuse(writable.error());
  otlp::LogOptions options;
  options.now_us = ingest.now_us();
  options.limits = ingest.limits();
  message::Batch batch;
  const auto outcome = is_json ? otlp::parse_logs_json(request.body, options, batch)
                               : otlp::parse_logs_protobuf(request.body, options, batch);
  if (!outcome) {
    ingest.count_rejected(outcome.error().code);
    return refuse(outcome.error());
  }
  ingest.count_rejected(*outcome);
  ingest.count_shed(options.limits);
  // A request of which something is kept must not come again: partial_success says so, 429 the contrary.
  if (outcome->accepted == 0 && outcome->count(Code::unavailable) != 0) {
    return answer(otlp_refusal(429, is_json, options.limits.shed->why));
  }
  Response response = otlp_response(
      200, is_json, is_json ? otlp::logs_response_json(*outcome) : otlp::logs_response_protobuf(*outcome));
  ingest.append(request.tenant, batch, [answer, is_json, response = std::move(response)](const Status& status) mutable {
    if (status) return answer(std::move(response));
    answer(otlp_refusal(status_of(status.error().code), is_json, status.error().message));
  });
}

}  // namespace

Response otlp_error(int status, std::string_view message, std::string_view) {
  return otlp_refusal(status, true, message);
}

void add_otlp_logs_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const auto logs = std::make_shared<const OtlpLogs>(OtlpLogs{MessageIngest(context, "otlp")});
  router.add(
      Method::post, "/v1/logs", [logs](const Request& request, const Responder& answer) { (*logs)(request, answer); },
      Effect::writes);
}

}  // namespace varve::api
