// SPDX-License-Identifier: Apache-2.0
// FieldValues: the distinct values of columns of tables, gathered from messages.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "language/analytics/field_names.h"
#include "language/analytics/query.h"
#include "message/block/block.h"
#include "message/row.h"

namespace varve::language::analytics {

// Distinct values of a column that has a dictionary, and object names with the prefix, of these messages of the block.
Result<std::vector<std::string>> values_in_block(message::block::Block& block, const message::block::Bitmap& among,
                                                 message::Column column);
Result<std::vector<std::string>> names_in_block(message::block::Block& block, const message::block::Bitmap& among,
                                                std::string_view prefix);

// For one thread; query and columns have to outlive it.
class FieldValues {
 public:
  FieldValues(const AnalyticsQuery& query, const std::vector<TableColumn>& columns)
      : query_(query), columns_(columns), values_(columns.size()) {}

  void add(message::RowView row);
  // Of these messages of a sealed block, from its dictionaries. False: they do not say all.
  Result<bool> add(message::block::Block& block, const message::block::Bitmap& among);
  // Memory that the values hold.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // JSON of each pair of column and value that where and filter let through, in order; at most `most`.
  [[nodiscard]] std::vector<std::string> rows(std::size_t most) const;

 private:
  void add_value(std::size_t column, std::string_view value);
  void add_of_column(std::size_t column, message::RowView row);
  Result<bool> add_of_block(std::size_t column, message::block::Block& block, const message::block::Bitmap& among);

  const AnalyticsQuery& query_;
  const std::vector<TableColumn>& columns_;
  std::vector<std::set<std::string, std::less<>>> values_;
  std::size_t bytes_ = 0;
};

}  // namespace varve::language::analytics
