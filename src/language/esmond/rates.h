// SPDX-License-Identifier: Apache-2.0
// Rates: what the query engine says of series, in esmond's bins.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/esmond/series.h"
#include "model/time.h"
#include "model/value.h"
#include "protocol/json/writer.h"
#include "query/under_way.h"

namespace varve::language::esmond {

enum class Cf : std::uint8_t {
  average,  // increase by seconds for which it is known
  min,      // of rates of base bins that are covered for half of their time at least, and when the least one was
  max,
  raw,  // increase; or samples as they are
};
std::optional<Cf> cf_of(std::string_view text);
std::string_view to_text(Cf cf);

struct DataPoint {
  model::Timestamp at = 0;
  std::optional<model::Value> value = {};  // a number; nullopt: unknown
  model::Timestamp extreme_at = 0;         // of min and max: the start of their base bin
};
using DataPoints = std::vector<DataPoint>;

// Of [begin, end] in milliseconds: the bins from ceil(begin / width) to floor(end / width).
model::TimeRange bins_in(std::int64_t begin_ms, std::int64_t end_ms, std::int64_t width_ms);

// All of one frequency.
struct BinsAsked {
  std::span<const Source* const> sources = {};
  Cf cf = Cf::average;
  std::int64_t width_ms = 0;
  model::TimeRange bins = {};  // whole ones
};
// For each source all bins of the range. Base rates that were posted are there in place of those of samples. Errors:
// those of the engine.
Result<std::vector<DataPoints>> read_bins(const query::Engine& engine, const std::string& tenant,
                                          const BinsAsked& asked, query::UnderWay& query);

// For each target its samples of the range; numbers only.
Result<std::vector<DataPoints>> read_samples(const query::Engine& engine, const std::string& tenant,
                                             std::span<const Target* const> targets, model::TimeRange range,
                                             query::UnderWay& query);

// How points are written.
struct PointsText {
  std::int64_t unit_ms = 1;     // of times
  bool is_unsigned = false;     // of whole numbers
  bool with_extremes = false;   // m_ts
  bool are_rates = false;       // a whole rate has decimals, too
  std::int64_t snapped_ms = 1;  // times are rounded down to these
};
// [{"ts":…,"val":…},…]
void append_points(protocol::json::Writer& json, std::span<const DataPoint> points, const PointsText& text);

}  // namespace varve::language::esmond
