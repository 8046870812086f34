// SPDX-License-Identifier: Apache-2.0
// Columns: the numbers of each series of some selections as they are, and where it has ended (staleness markers), for
// who evaluates series himself. What several selections want is read once: each stretch of time between two edges of
// their ranges in one scan.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/engine.h"
#include "query/request.h"
#include "query/tag_table.h"
#include "query/under_way.h"

namespace varve::query {

// The series of one selection, and when their numbers are wanted.
struct Selected {
  MetricName metric;
  index::Matchers matchers;  // on tags
  model::TimeRange range;    // half-open
  // More are refused before any is read.
  std::size_t series_max = std::numeric_limits<std::size_t>::max();
};

struct Column {
  std::vector<model::Timestamp> times;  // ascending, each once
  std::vector<double> values;           // longs as doubles; staleness markers as the NaN model::kStaleMarkerBits
};

class Columns {
 public:
  // Reads for `query`, whose budget is charged for as long as it is under way. An unknown tenant has no series. Errors:
  // invalid (a bad regex), limit, unavailable, timeout, cancelled, or what the store says.
  static Result<Columns> read(const Engine& engine, std::string_view tenant, std::span<const Selected> selected,
                              UnderWay& query);

  // One selection's series one after another, in any order, of which some are read at a time: memory is bounded by
  // these, not by the selection. Series without numbers in its range are left out. `tags` has all of them, by position.
  // Errors as read(), or the sink's, which ends it.
  using Sink = std::function<Status(const TagTable& tags, std::uint32_t series, Column&& column)>;
  static Status each(const Engine& engine, std::string_view tenant, const Selected& selected, UnderWay& query,
                     const Sink& sink);

  // Series of one of the selections at least, ascending by id.
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  // Of each its tags, kNameTag among them.
  [[nodiscard]] const TagTable& tags() const { return tags_; }
  // Which series a selection has, ascending; some may have no numbers in its range.
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t selection) const { return selections_[selection]; }
  // All numbers of the series that any of its selections wants: of a selection those in its range.
  [[nodiscard]] const Column& operator[](std::size_t series) const { return columns_[series]; }
  // The same, which is empty here from then on.
  [[nodiscard]] Column take(std::size_t series) { return std::exchange(columns_[series], {}); }

 private:
  class Reader;
  TagTable tags_;
  std::vector<std::vector<std::uint32_t>> selections_;
  std::vector<Column> columns_;
};

}  // namespace varve::query
