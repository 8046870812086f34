// SPDX-License-Identifier: Apache-2.0
// OTLP logs. Good records are kept beside bad ones, which partial_success counts: a client sends none of them again.
#include <memory>
#include <string>

#include "api/otlp/form.h"
#include "api/otlp/logs_routes.h"
#include "api/shared/message_ingest.h"
#include "api/shared/routes.h"
#include "api/shared/writing.h"
#include "protocol/otlp/logs.h"

namespace varve::api {
namespace {

namespace otlp = protocol::otlp;

struct OtlpParts {
  MessageIngest ingest;
};

void put_logs(const OtlpParts& parts, const Request& request, const Responder& answer) {
  const OtlpForm form = otlp_form_of(request);
  if (form == OtlpForm::other) return answer(request.error(415, kOtlpForms));
  const bool is_json = form == OtlpForm::json;
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
  Response response =
      otlp_response(200, form, is_json ? otlp::logs_response_json(*outcome) : otlp::logs_response_protobuf(*outcome));
  parts.ingest.append(request.tenant, batch, when_stored(request, answer, std::move(response)));
}

constexpr Route<OtlpParts> kOtlpRoutes[] = {
    {Method::post, "/v1/logs", Itself{put_logs}, Effect::writes},
};

}  // namespace

void add_otlp_logs_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const auto parts = std::make_shared<const OtlpParts>(OtlpParts{MessageIngest(context, "otlp")});
  add_routes(router, parts, kOtlpRoutes, otlp_error);
}

}  // namespace varve::api
