// SPDX-License-Identifier: Apache-2.0
#include <ranges>
#include <set>

#include "api/analytics/answer_rows.h"
#include "language/analytics/rows.h"
#include "language/analytics/value.h"

namespace varve::api {

namespace analytics = language::analytics;

Result<std::vector<std::string>> id_rows(Answering& answering, const analytics::AnalyticsQuery& asked) {
  analytics::MessageRows rows(asked);
  std::set<std::string, std::less<>> found;
  std::size_t bytes = 0;
  VARVE_RETURN_IF_ERROR(answering.each(asked, [&](message::RowView row) {
    const std::size_t count = rows.read(row);
    for (std::size_t i = 0; i < count; ++i) {
      const auto id = rows.value(i, asked.select[0]).text;
      if (found.emplace(id).second) bytes += id.size() + 2 * sizeof(std::string);
    }
    return answering.may_hold(found.size(), bytes);
  }));
  std::vector<std::string> out;
  const auto take = [&](const auto& ids) {
    for (const std::string& id : ids) {
      if (out.size() == limit_of(asked)) break;
      std::string& row = out.emplace_back("{\"ObjectId\":");
      analytics::append_value(row, analytics::Value::of(std::string_view(id)));
      row += '}';
    }
  };
  if (asked.sort_down) {
    take(std::views::reverse(found));
  } else {
    take(found);
  }
  return out;
}

}  // namespace varve::api
