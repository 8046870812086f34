// SPDX-License-Identifier: Apache-2.0
// RangeCounts: how many lines, and bytes, lie in the range that ends at each step; by what lines are grouped by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "language/logql/labels.h"
#include "language/logql/metric.h"

namespace varve::language::logql {

class RangeCounts {
 public:
  // `grouping`: of a sum around it; nullptr: by all labels.
  RangeCounts(const MetricQuery& range, const Grouping* grouping, const Steps& steps)
      : range_(range), grouping_(grouping), steps_(steps) {}

  // What lines are needed.
  [[nodiscard]] TimeSpan span() const;
  // Width of windows whose lines are counted in the same ranges; the span's end is the end of one of them.
  [[nodiscard]] std::int64_t window_ns() const;
  // Of so many lines. The labels are changed.
  Status add(Labels& labels, std::uint64_t lines, std::uint64_t bytes, const Source& source);
  // Nothing is left.
  std::vector<Series> take();

 private:
  // From this step on there are so many more.
  struct Change {
    std::uint32_t step;
    std::int64_t lines, bytes;
  };
  struct Group {
    std::vector<std::pair<std::string, std::string>> labels;
    std::vector<Change> more, fewer;
  };
  Result<Group*> group_of(const Labels& labels, const Source& source);
  [[nodiscard]] std::uint32_t first_step(std::int64_t time_ns) const;
  [[nodiscard]] double value_of(std::int64_t lines, std::int64_t bytes) const;
  std::vector<Point> points_of(Group& group) const;

  const MetricQuery& range_;
  const Grouping* const grouping_;
  const Steps steps_;
  std::string key_;
  std::unordered_map<std::string, Group> groups_;
};

// Does the label belong to the groups?
bool groups_by(const Grouping& grouping, std::string_view label);

}  // namespace varve::language::logql
