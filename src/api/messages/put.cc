// SPDX-License-Identifier: Apache-2.0
// Messages as NDJSON or as a JSON array. Good lines are kept, bad ones named by number and reason.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/messages/routes.h"
#include "api/shared/query_answer.h"
#include "message/builder.h"
#include "model/tenant.h"
#include "protocol/messages/answer.h"
#include "protocol/messages/ndjson.h"

namespace varve::api {
namespace {

namespace messages = protocol::messages;

constexpr std::int64_t kMicrosecondsPerMs = 1000;

struct MessagePut {
  storage::MessageStore& store;
  write::Writer& writer;  // knows how many tenants there may be
  const Clock& clock;
  MessageLimits limits;
  Counter& accepted;
  std::vector<std::pair<Code, Counter*>> rejected;

  void count_rejected(const protocol::Outcome& outcome) const;
  void operator()(const Request& request, const Responder& answer) const;
};

void MessagePut::count_rejected(const protocol::Outcome& outcome) const {
  for (const auto& [code, counter] : rejected) counter->add(outcome.count(code));
}

std::vector<std::pair<Code, Counter*>> rejected_counters(Metrics& metrics) {
  std::vector<std::pair<Code, Counter*>> out;
  for (const auto& [code, reason] : {std::pair(Code::invalid, "invalid"), std::pair(Code::too_large, "too_large"),
                                     std::pair(Code::limit, "limit"), std::pair(Code::too_old, "time")}) {
    out.emplace_back(code,
                     &metrics.counter("varve_messages_rejected_total", "Log messages refused, by protocol and reason.",
                                      {{"protocol", "ndjson"}, {"reason", reason}}));
  }
  return out;
}

Result<messages::Options> options_of(const Request& request, const MessageLimits& limits, std::int64_t now_ms) {
  messages::Options options;
  const auto precision = messages::precision_of(request.param("precision").value_or("us"));
  if (!precision) return fail(Code::invalid, "precision must be s, ms, us or ns");
  options.precision = *precision;
  const auto objects = request.param("objects").value_or("");
  if (!objects.empty() && objects != "xml") return fail(Code::invalid, "objects must be xml, if it is given");
  options.names_in_xml = objects == "xml";
  options.now_us = now_ms * kMicrosecondsPerMs;
  options.limits = {options.now_us - limits.retention_ms * kMicrosecondsPerMs,
                    options.now_us + limits.future_ms * kMicrosecondsPerMs, "older than messages.retention",
                    "further ahead than messages.future"};
  return options;
}

void MessagePut::operator()(const Request& request, const Responder& answer) const {
  static_assert(http::kBodyPadding >= messages::kBodyPadding);
  const auto refuse = [&](const Error& why) { answer(with_retry(error_response(status_of(why.code), why.message))); };
  if (request.tenant.empty()) return answer(error_response(400, "the request names no tenant"));
  if (const Status writable = model::check_writable(request.tenant); !writable) return refuse(writable.error());
  const auto options = options_of(request, limits, clock.now_ms());
  if (!options) return answer(error_response(400, options.error().message));
  message::Batch batch;
  const auto outcome = messages::parse_messages(request.body, *options, batch);
  Response response = Response::empty(204);
  if (outcome.rejected != 0) {
    count_rejected(outcome);
    response = Response::json(400, messages::answer_of(outcome));
  }
  const std::size_t rows = batch.rows();
  if (rows > 0) {  // a tenant comes to be with its first message
    if (const Status made = writer.make_tenant(request.tenant); !made) return refuse(made.error());
  }
  store.append_messages(
      request.tenant, batch, [this, rows, answer, response = std::move(response)](const Status& status) mutable {
        if (status) accepted.add(rows);
        answer(status ? std::move(response)
                      : with_retry(error_response(status_of(status.error().code), status.error().message)));
      });
}

}  // namespace

void add_message_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const auto put = std::make_shared<const MessagePut>(
      MessagePut{*context.messages, context.writer, context.clock, context.message_limits,
                 context.metrics.counter("varve_messages_accepted_total", "Log messages stored, by protocol.",
                                         {{"protocol", "ndjson"}}),
                 rejected_counters(context.metrics)});
  router.add(
      Method::post, "/api/v1/messages",
      [put](const Request& request, const Responder& answer) { (*put)(request, answer); }, Effect::writes);
}

}  // namespace varve::api
