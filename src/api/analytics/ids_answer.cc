// SPDX-License-Identifier: Apache-2.0
#include <ranges>
#include <set>

#include "api/analytics/answer_rows.h"
#include "api/analytics/field_values.h"
#include "language/analytics/rows.h"
#include "language/analytics/value.h"

namespace varve::api {

namespace analytics = language::analytics;

Result<std::vector<std::string>> id_rows(Answering& answering, const analytics::AnalyticsQuery& asked) {
  analytics::MessageRows rows(asked);
  std::set<std::string, std::less<>> found;
  std::size_t bytes = 0;
  const auto add = [&](std::string_view id) {
    if (found.emplace(id).second) bytes += id.size() + 2 * sizeof(std::string);
  };
  const std::string type = asked.table.name + ":";
  const auto add_block = [&](const auto& block, const message::block::Bitmap& among) -> Result<bool> {
    if (asked.asks_of_id) return false;  // not all ids of a message count
    VARVE_ASSIGN_OR_RETURN(const auto names, names_in_block(*block, among, type));
    for (const std::string& name : names) add(std::string_view(name).substr(type.size()));
    VARVE_RETURN_IF_ERROR(answering.may_hold(found.size(), bytes));
    return true;
  };
  const auto add_row = [&](message::RowView row) {
    const std::size_t count = rows.read(row);
    for (std::size_t i = 0; i < count; ++i) add(rows.value(i, asked.select[0]).text);
    return answering.may_hold(found.size(), bytes);
  };
  VARVE_RETURN_IF_ERROR(answering.each_block(asked, add_block, add_row));
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
