// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/answer_rows.h"

#include "language/analytics/sorted_rows.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;

Result<std::vector<std::string>> gathered_rows(Answering& answering, const Answering::Question& question) {
  const analytics::AnalyticsQuery& asked = question.asked;
  if (asked.table.kind == analytics::TableKind::stat) return value_rows(answering, question);
  if (asked.counts) return counted_rows(answering, asked);
  return asked.lists_ids() ? id_rows(answering, asked) : sorted_rows(answering, asked);
}

}  // namespace

Result<std::unique_ptr<AnswerRows>> answer_rows(Answering& answering, const Answering::Question& question) {
  const analytics::AnalyticsQuery& asked = question.asked;
  const bool are_messages = asked.table.kind != analytics::TableKind::stat && !asked.counts && !asked.lists_ids();
  if (are_messages && analytics::order_of(asked) != analytics::Order::sorted) return rows_in_order(answering, asked);
  VARVE_ASSIGN_OR_RETURN(auto rows, gathered_rows(answering, question));
  return std::make_unique<GatheredRows>(std::move(rows));
}

}  // namespace varve::api
