// SPDX-License-Identifier: Apache-2.0
#include "api/otlp/form.h"

#include <utility>

#include "http/media_type.h"
#include "protocol/otlp/logs.h"

namespace varve::api {

OtlpForm otlp_form_of(const Request& request) {
  const auto type = http::parse_media_type(request.header("content-type"));
  if (type && type->essence == "application/json") return OtlpForm::json;
  return type && type->essence == "application/x-protobuf" ? OtlpForm::protobuf : OtlpForm::other;
}

Response otlp_response(int status, OtlpForm form, std::string body) {
  Response response = Response::json(status, std::move(body));
  response.content_type = form == OtlpForm::protobuf ? "application/x-protobuf" : "application/json";
  return with_retry(std::move(response));
}

Response otlp_error(int status, std::string_view message, const Request& request) {
  const OtlpForm form = otlp_form_of(request);
  return otlp_response(status, form,
                       form == OtlpForm::protobuf ? protocol::otlp::status_protobuf(status, message)
                                                  : protocol::otlp::status_json(status, message));
}

}  // namespace varve::api
