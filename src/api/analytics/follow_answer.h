// SPDX-License-Identifier: Apache-2.0
// What a follower is told: first what is stored, by time, and then every message that comes, once.
#pragma once

#include <memory>

#include "api/shared/http.h"
#include "language/analytics/answering.h"
#include "query/messages/subscriptions.h"

namespace varve::api {

// Blocks until what is being appended is visible.
Result<Response> follow_answer(query::Subscriptions& subscriptions, const Request& request,
                               std::unique_ptr<language::analytics::Answering> answering,
                               std::unique_ptr<const language::analytics::MessageQuestion> question);

}  // namespace varve::api
