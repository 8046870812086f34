// SPDX-License-Identifier: Apache-2.0
// OTLP logs. Good records are kept beside bad ones, which partial_success counts: a client sends none of them again.
#include <memory>
#include <string>

#include "api/otlp/logs_routes.h"
#include "api/shared/message_ingest.h"
#include "api/shared/routes.h"
#include "api/shared/writing.h"
#include "http/media_type.h"
#include "protocol/otlp/logs.h"

namespace varve::api {
namespace {

namespace otlp = protocol::otlp;

struct OtlpParts {
  MessageIngest ingest;
};

enum class OtlpType { json, protobuf, other };

OtlpType otlp_type_of(const Request& request) {
  const auto type = http::parse_media_type(request.header("content-type"));
  if (type && type->essence == "application/json") return OtlpType::json;
  return type && type->essence == "application/x-protobuf" ? OtlpType::protobuf : OtlpType::other;
}

// The answer has the type of the request.
Response otlp_response(int status, bool is_json, std::string body) {
  Response response = Response::json(status, std::move(body));
  response.content_type = is_json ? "application/json" : "application/x-protobuf";
  return with_retry(std::move(response));
}

void put_logs(const OtlpParts& parts, const Request& request, const Responder& answer) {
  const OtlpType type = otlp_type_of(request);
  if (type == OtlpType::other) {
    return answer(request.error(415, "OTLP is application/x-protobuf or application/json, as its Content-Type says"));
  }
  const bool is_json = type == OtlpType::json;
  otlp::LogOptions options;
  options.now_us = parts.ingest.now_us();
  options.limits = parts.ingest.limits();
  message::Batch batch;
  const auto outcome = is_json ? otlp::parse_logs_json(request.body, options, batch)
                               : otlp::parse_logs_protobuf(request.body, options, batch);
  if (!outcome) {
    parts.ingest.count_rejected(outcome.error().code);
    return answer(request.error(outcome.error()));
  }
  parts.ingest.count_rejected(*outcome);
  parts.ingest.count_shed(options.limits);
  // A request of which something is kept must not come again: partial_success says so, 429 the contrary.
  if (outcome->accepted == 0 && outcome->count(Code::unavailable) != 0) {
    return answer(request.error(429, options.limits.shed->why));
  }
  Response response = otlp_response(
      200, is_json, is_json ? otlp::logs_response_json(*outcome) : otlp::logs_response_protobuf(*outcome));
  parts.ingest.append(request.tenant, batch, when_stored(request, answer, std::move(response)));
}

constexpr Route<OtlpParts> kOtlpRoutes[] = {
    {Method::post, "/v1/logs", Itself{put_logs}, Effect::writes},
};

}  // namespace

Response otlp_error(int status, std::string_view message, const Request& request) {
  const bool is_json = otlp_type_of(request) != OtlpType::protobuf;
  return otlp_response(status, is_json,
                       is_json ? otlp::status_json(status, message) : otlp::status_protobuf(status, message));
}

void add_otlp_logs_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const auto parts = std::make_shared<const OtlpParts>(OtlpParts{MessageIngest(context, "otlp")});
  add_routes(router, parts, kOtlpRoutes, otlp_error);
}

}  // namespace varve::api
