// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/answer_rows.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <set>

#include "language/analytics/counted_rows.h"
#include "language/analytics/field_names.h"
#include "language/analytics/field_values.h"
#include "language/analytics/rows.h"
#include "language/analytics/sorted_rows.h"
#include "language/analytics/value.h"

namespace varve::language::analytics {
namespace {

using message::block::Bitmap;
using Columns = std::vector<message::block::GroupColumn>;

// Rows that were all made before.
class GatheredRows final : public AnswerRows {
 public:
  explicit GatheredRows(std::vector<std::string> rows) : rows_(std::move(rows)) {}
  Result<bool> next(std::string& out) override {
    if (next_ == rows_.size()) return false;
    std::string row = std::move(rows_[next_++]);  // its memory goes
    out += row;
    return true;
  }

 private:
  std::vector<std::string> rows_;
  std::size_t next_ = 0;
};

class RowsInOrder final : public AnswerRows {
 public:
  RowsInOrder(const AnalyticsQuery& asked, std::unique_ptr<message::RowSource> source,
              std::function<bool(message::RowView)> skips)
      : source_(std::move(source)), skips_(std::move(skips)), rows_(asked), left_(limit_of(asked)) {}

  Result<bool> next(std::string& out) override {
    if (left_ == 0) return false;
    while (next_ == of_message_) {
      VARVE_ASSIGN_OR_RETURN(const auto row, source_->next());
      if (!row) return false;
      if (skips_ && skips_(*row)) continue;
      of_message_ = rows_.read(*row);
      next_ = 0;
    }
    rows_.append_json(out, next_++);
    --left_;
    return true;
  }
  [[nodiscard]] bool is_gathered() const override { return false; }

 private:
  const std::unique_ptr<message::RowSource> source_;
  const std::function<bool(message::RowView)> skips_;
  MessageRows rows_;
  std::size_t left_;
  std::size_t next_ = 0, of_message_ = 0;  // rows of the message that was read last
};

Result<std::vector<std::string>> sorted_rows(Answering& answering, const AnalyticsQuery& asked) {
  MessageRows rows(asked);
  SortedRows kept(asked);
  VARVE_RETURN_IF_ERROR(answering.each(asked, [&](message::RowView row) {
    const std::size_t count = rows.read(row);
    for (std::size_t i = 0; i < count; ++i) kept.add(rows, i, row);
    return answering.may_hold(kept.rows(), kept.bytes());
  }));
  return kept.take();
}

// The columns whose values make a group. nullopt: rows are of ids, or of what only whole messages say.
std::optional<Columns> columns_counted(const AnalyticsQuery& asked) {
  using Of = Selected::Of;
  if (asked.table.kind != TableKind::log) return std::nullopt;
  Columns out;
  for (const Selected& one : asked.select) {
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

Result<std::vector<std::string>> counted_rows(Answering& answering, const AnalyticsQuery& asked) {
  MessageRows rows(asked);
  CountedRows kept(asked);
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

Result<std::vector<std::string>> gathered_rows(Answering& answering, const MessageQuestion& question) {
  const AnalyticsQuery& asked = question.asked;
  if (asked.table.kind == TableKind::stat) return value_rows(answering, question);
  if (asked.counts) return counted_rows(answering, asked);
  return asked.lists_ids() ? id_rows(answering, asked) : sorted_rows(answering, asked);
}

}  // namespace

Result<std::vector<std::string>> id_rows(Answering& answering, const AnalyticsQuery& asked) {
  MessageRows rows(asked);
  std::set<std::string, std::less<>> found;
  std::size_t bytes = 0;
  const auto add = [&](std::string_view id) {
    if (found.emplace(id).second) bytes += id.size() + 2 * sizeof(std::string);
  };
  const std::string type = asked.table.name + ":";
  const auto add_block = [&](const auto& block, const Bitmap& among) -> Result<bool> {
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
      append_value(row, Value::of(std::string_view(id)));
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

Result<std::vector<std::string>> value_rows(Answering& answering, const MessageQuestion& question) {
  const auto& asked = question.asked;
  const auto columns = columns_asked(asked, question.tables);
  FieldValues found(asked, columns);
  const auto add_block = [&](const auto& block, const Bitmap& among) -> Result<bool> {
    VARVE_ASSIGN_OR_RETURN(const bool can, found.add(*block, among));
    VARVE_RETURN_IF_ERROR(answering.may_hold(0, found.bytes()));
    return can;
  };
  const auto add_row = [&](message::RowView row) {
    found.add(row);
    return answering.may_hold(0, found.bytes());
  };
  VARVE_RETURN_IF_ERROR(answering.each_block(asked, add_block, add_row));
  auto out = found.rows(std::min<std::size_t>(limit_of(asked), answering.source().rows_max + 1));
  VARVE_RETURN_IF_ERROR(answering.may_hold(out.size(), 0));
  return out;
}

Result<std::unique_ptr<AnswerRows>> rows_in_order(Answering& answering, const AnalyticsQuery& asked,
                                                  std::function<bool(message::RowView)> skips) {
  VARVE_ASSIGN_OR_RETURN(auto source, answering.rows(asked, order_of(asked) == Order::time_down));
  return std::make_unique<RowsInOrder>(asked, std::move(source), std::move(skips));
}

Result<std::unique_ptr<AnswerRows>> answer_rows(Answering& answering, const MessageQuestion& question) {
  const AnalyticsQuery& asked = question.asked;
  const bool are_messages = asked.table.kind != TableKind::stat && !asked.counts && !asked.lists_ids();
  if (are_messages && order_of(asked) != Order::sorted) return rows_in_order(answering, asked);
  VARVE_ASSIGN_OR_RETURN(auto rows, gathered_rows(answering, question));
  return std::make_unique<GatheredRows>(std::move(rows));
}

}  // namespace varve::language::analytics
