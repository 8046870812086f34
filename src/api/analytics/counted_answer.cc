// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "api/analytics/answer_rows.h"
#include "language/analytics/counted_rows.h"
#include "language/analytics/rows.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;
using Columns = std::vector<message::block::GroupColumn>;

// The columns whose values make a group. nullopt: rows are of ids, or of what only whole messages say.
std::optional<Columns> columns_counted(const analytics::AnalyticsQuery& asked) {
  using Of = analytics::Selected::Of;
  if (asked.table.kind != analytics::TableKind::log) return std::nullopt;
  Columns out;
  for (const analytics::Selected& one : asked.select) {
    if (one.of == Of::count) continue;
    if (one.of == Of::column && one.column != message::Column::time) {
      out.push_back({one.column});
    } else if (one.of == Of::field) {
      out.push_back({message::Column::field, one.name});
    } else if (one.of == Of::window) {
      out.push_back({message::Column::time, "", one.window_us});
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> counted_rows(Answering& answering, const analytics::AnalyticsQuery& asked) {
  analytics::MessageRows rows(asked);
  analytics::CountedRows kept(asked);
  const auto add = [&](message::RowView row, std::uint64_t times) {
    const std::size_t count = rows.read(row);
    for (std::size_t i = 0; i < count; ++i) kept.add(rows, i, times);
    return answering.may_hold(kept.groups(), kept.bytes());
  };
  if (const auto columns = columns_counted(asked)) {
    VARVE_RETURN_IF_ERROR(answering.each_group(asked, *columns, add));
  } else {
    VARVE_RETURN_IF_ERROR(answering.each(asked, [&](message::RowView row) { return add(row, 1); }));
  }
  return kept.take();
}

}  // namespace varve::api
