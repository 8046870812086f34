// SPDX-License-Identifier: Apache-2.0
// What answers Loki's routes, and the parts that it is answered from. routes.cc has the table of them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/loki/asking.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"
#include "api/shared/message_ingest.h"
#include "query/messages/subscriptions.h"

namespace varve::api {

// Outlives the router, as everything that it refers to.
struct LokiParts {
  LokiParts(const LokiContext& from, std::optional<MessageIngest> way_in);

  const LokiContext context;
  const std::shared_ptr<query::Subscriptions> tails;  // nullptr where nobody tells of what comes
  const std::optional<MessageIngest> ingest;          // nullopt where only questions are answered
  Endpoint questions;
};

// push.cc: all of a request is stored, or nothing.
void push_lines(const LokiParts& parts, const Request& request, const Responder& answer);

// asking.cc: a question; what it returns is the answer's body, which is JSON.
using LokiWork = Result<std::string> (*)(const LokiAsking& asking);
Result<Response> answer_question(const LokiParts& parts, const Request& request, LokiWork work);

// query.cc
Result<std::string> answer_query_range(const LokiAsking& asking);
Result<std::string> answer_instant(const LokiAsking& asking);
// names.cc
Result<std::string> answer_labels(const LokiAsking& asking);
Result<std::string> answer_label_values(const LokiAsking& asking);
Result<std::string> answer_series(const LokiAsking& asking);
// index.cc; patterns there are not.
Result<std::string> answer_stats(const LokiAsking& asking);
Result<std::string> answer_volume(const LokiAsking& asking);
Result<std::string> answer_volume_range(const LokiAsking& asking);
Result<std::string> answer_patterns(const LokiAsking& asking);
// detected_fields.cc
Result<std::string> answer_detected_fields(const LokiAsking& asking);
Result<std::string> answer_detected_values(const LokiAsking& asking);

// tail.cc: the last lines of a query, and every one that comes, over a WebSocket.
Result<Response> follow_tail(const LokiParts& parts, const Request& request);

}  // namespace varve::api
