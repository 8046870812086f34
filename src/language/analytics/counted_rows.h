// SPDX-License-Identifier: Apache-2.0
// CountedRows: how many rows have the same in all that is selected ("aggregate":["count"]).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "language/analytics/query.h"
#include "language/analytics/rows.h"

namespace varve::language::analytics {

// For one thread; the query has to outlive it.
class CountedRows {
 public:
  explicit CountedRows(const AnalyticsQuery& query) : query_(query) {}

  // Row `i` of the message that `rows` has read, `times` times.
  void add(const MessageRows& rows, std::size_t i, std::uint64_t times = 1);

  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // JSON of the groups by sort_fields, and then by what is selected, upwards; at most `limit`. Nothing is left.
  std::vector<std::string> take();

 private:
  struct Group {
    std::uint64_t count = 0;
    std::string before, after;  // keys of the sort fields in front of `count`, and behind it
    std::string selected;       // keys of all that is selected
  };
  [[nodiscard]] Group group_of(const MessageRows& rows, std::size_t i) const;

  const AnalyticsQuery& query_;
  std::unordered_map<std::string, Group> groups_;  // by their JSON without end
  std::string json_;
  std::size_t bytes_ = 0;
};

}  // namespace varve::language::analytics
