// SPDX-License-Identifier: Apache-2.0
// FollowedRows: a query with "follow", asked of every message that comes: rows of the answer, a line each.
#pragma once

#include <string>
#include <string_view>

#include "language/analytics/query.h"
#include "language/analytics/rows.h"
#include "query/messages/subscriptions.h"

namespace varve::language::analytics {

class FollowedRows final : public query::FollowedQuestion {
 public:
  explicit FollowedRows(const AnalyticsQuery& query) : query_(query), rows_(query_) {}

  bool asks_for(message::RowView row) override;
  void append(query::Findings& out) override;

 private:
  const AnalyticsQuery query_;
  MessageRows rows_;
  std::size_t of_message_ = 0;  // rows of the message that was asked about last
  std::int64_t time_us_ = 0;    // and its time
};

// What two bodies have in common that ask the same of each message: they may differ in space, in the order of members,
// in the times and in the limit. `body` is one that parse_query() takes.
std::string question_key(std::string_view body);

}  // namespace varve::language::analytics
