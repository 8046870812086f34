// SPDX-License-Identifier: Apache-2.0
// TailLines: a query of lines, asked of every message that comes: its lines as a message of Loki's tail,
// {"streams":[…],"dropped_entries":[]}
#pragma once

#include <map>
#include <string>

#include "language/logql/labels.h"
#include "language/logql/syntax.h"
#include "message/condition.h"
#include "query/messages/subscriptions.h"

namespace varve::language::logql {

class TailLines final : public query::FollowedQuestion {
 public:
  // `condition`: what of the query the store is asked.
  TailLines(LogQuery query, message::Condition condition)
      : query_(std::move(query)), condition_(std::move(condition)) {}

  bool asks_for(message::RowView row) override;
  // Also what is sent to who misses them: times and labels of the first hundred.
  void append(query::Findings& out) override;
  void finish(query::Findings& out) override;

 private:
  const LogQuery query_;
  const message::Condition condition_;
  Labels labels_;
  std::map<std::string, std::string> streams_;  // by labels, JSON: values
  std::size_t missed_ = 0;                      // that `missed` names
};

}  // namespace varve::language::logql
