// SPDX-License-Identifier: Apache-2.0
// SortedRows: rows of an answer in the order of sort_fields, of which at most `limit` are kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "language/analytics/query.h"
#include "language/analytics/rows.h"

namespace varve::language::analytics {

// How rows come without being sorted: by time, upwards, or downwards if only MessageTS is sorted by, and down.
// Otherwise all of them have to be there first. Rows of one time come by arrival, in the same direction; of one
// message, by id as it names them.
enum class Order : std::uint8_t { time_up, time_down, sorted };
Order order_of(const AnalyticsQuery& query);

// By the fields that are selected for it, then by time, then by arrival. The fields go down with `sort` 2; time and
// arrival do if MessageTS is one of them. For one thread; the query has to outlive it.
class SortedRows {
 public:
  explicit SortedRows(const AnalyticsQuery& query);

  // Row `i` of the message that `rows` has read.
  void add(const MessageRows& rows, std::size_t i, message::RowView message);

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  // Memory that the rows hold.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // JSON of the rows, in order. Nothing is left.
  std::vector<std::string> take();

 private:
  struct Row {
    std::string key;
    std::int64_t time_us;
    std::uint16_t nanos;
    std::uint64_t arrival;
    std::uint64_t number;  // in the order in which rows were added
    std::string json;
  };
  // Does a come before b?
  [[nodiscard]] bool before(const Row& a, const Row& b) const;
  [[nodiscard]] static std::size_t bytes_of(const Row& row);
  void drop_last();

  const AnalyticsQuery& query_;
  bool time_down_ = false;
  std::uint64_t added_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Row> rows_;  // with a limit a heap, the last row first
};

}  // namespace varve::language::analytics
