// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/answer_rows.h"
#include "language/analytics/rows.h"
#include "language/analytics/sorted_rows.h"

namespace varve::api {

Result<std::vector<std::string>> sorted_rows(Answering& answering, const language::analytics::AnalyticsQuery& asked) {
  language::analytics::MessageRows rows(asked);
  language::analytics::SortedRows kept(asked);
  VARVE_RETURN_IF_ERROR(answering.each(asked, [&](message::RowView row) {
    const std::size_t count = rows.read(row);
    for (std::size_t i = 0; i < count; ++i) kept.add(rows, i, row);
    return answering.may_hold(kept.rows(), kept.bytes());
  }));
  return kept.take();
}

}  // namespace varve::api
