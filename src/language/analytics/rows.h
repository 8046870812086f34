// SPDX-License-Identifier: Apache-2.0
// MessageRows: the rows that a message makes in the answer of a query, as JSON and as keys to sort by.
//
//   MessageRows rows(query);
//   for (message : those that fulfil query.condition)
//     for (std::size_t i = 0, end = rows.read(message); i < end; ++i) rows.append_json(out, i);
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "language/analytics/query.h"
#include "language/analytics/value.h"
#include "message/row.h"

namespace varve::language::analytics {

// Reused from message to message, by one thread; the query has to outlive it. Not for queries of FieldNames.
class MessageRows {
 public:
  explicit MessageRows(const AnalyticsQuery& query);

  // How many rows the message has. It is one in the log table; in an object table one for each of its ids that where
  // and filter let through, in the order of the message. The message's bytes must stay until the next call.
  std::size_t read(message::RowView row);

  // `i` of a row, below what read() returned.
  [[nodiscard]] Value value(std::size_t i, const Selected& selected) const;
  // {"Source":"a","Level":3}: what is selected but `count`, in that order, and all fields behind it if they are.
  void append_json(std::string& out, std::size_t i) const;
  // The same without its end: rows of one group have the same, and finish_group makes it whole.
  void append_group(std::string& out, std::size_t i) const;

 private:
  [[nodiscard]] Value column_value(message::Column column) const;
  [[nodiscard]] Value field_value(const Selected& selected) const;
  [[nodiscard]] bool is_selected(std::string_view name) const;
  void append_fields(std::string& out) const;
  [[nodiscard]] Value log_value(bool is_object_log) const;
  void read_cells();
  void read_ids();

  const AnalyticsQuery& query_;
  std::string type_;               // "Rack:"
  std::vector<std::string> keys_;  // of select: {"Source": and ,"Level":, of a count nothing
  message::Column last_{};         // behind it, no cell is needed
  bool needs_id_ = false;
  bool all_fields_ = false;
  message::RowView row_;
  std::uint32_t has_ = 0;
  std::array<message::Cell, message::kColumns> cells_;
  std::vector<message::Cell> fields_;  // those that are selected, in the order of the message
  std::vector<std::string_view> names_, ids_;
  std::string id_;  // of the message, as text
};

// {"Source":"a" → {"Source":"a","count":3}
void finish_group(std::string& group, std::uint64_t count);

// Do where and filter let the row of this id through? The message fulfils query.condition.
bool row_fulfils(const AnalyticsQuery& query, message::RowView row, std::string_view id);

// The start of the window.
std::int64_t window_start(std::int64_t time_us, std::int64_t width_us);

}  // namespace varve::language::analytics
