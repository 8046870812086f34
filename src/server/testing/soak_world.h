// SPDX-License-Identifier: Apache-2.0
// What the soak writes, what it expects to see of it, and how its stores are configured.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/rocksdb/env/options.h"
#include "model/testing/lengths.h"
#include "storage/testing/store_fixture.h"

namespace varve::server::testing {

using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;
inline constexpr model::Timestamp kStart = 20'000 * kDay + 5 * kHour;

struct Series {
  std::string tenant, metric, host;
  std::map<model::Timestamp, storage::testing::OwnedValue> samples;  // all that were ever put
  [[nodiscard]] bool is_counter() const { return metric.ends_with("_bytes"); }
};

// A line: series whose samples come together.
struct Line {
  storage::testing::Group* group;
  std::vector<std::size_t> series;
  std::int64_t step_ms = 0;
};

struct Point {
  std::uint64_t count = 0;
  double sum = 0, min = 0, max = 0;
  void add(double v) {
    min = count == 0 ? v : std::min(min, v);
    max = count == 0 ? v : std::max(max, v);
    sum += v;
    ++count;
  }
};
using Points = std::map<model::Timestamp, Point>;

inline double number(const storage::testing::OwnedValue& v) {
  return v.type == model::ValueType::double_ ? std::bit_cast<double>(v.bits)
                                             : static_cast<double>(static_cast<std::int64_t>(v.bits));
}

// How the three kinds of lives are kept.
inline engine::rocksdb::Options options_of(std::uint32_t seed) {
  engine::rocksdb::Options o;
  o.rollups.counter_suffixes = {"_bytes"};
  o.head_bytes_max = 1 << 20;
  o.merge_quiet_ms = 30 * kMinute;
  switch (seed % 3) {
    case 0:  // samples go first
      o.raw_retention_ms = 2 * kDay;
      o.rollups.levels = {{5 * kMinute, 4 * kDay}, {kHour, 12 * kDay}, {kDay, rollup::kForEver}};
      break;
    case 1:  // samples outlive windows
      o.raw_retention_ms = 9 * kDay;
      o.rollups.levels = {{10 * kMinute, 4 * kDay}, {2 * kHour, 6 * kDay}, {12 * kHour, 20 * kDay}};
      o.slot_width_ms = 2 * kHour;
      break;
    default:  // one wide granularity over another
      o.raw_retention_ms = 3 * kDay;
      o.rollups.levels = {{30 * kMinute, 6 * kDay}, {6 * kHour, 15 * kDay}, {kDay, rollup::kForEver}};
  }
  return o;
}

}  // namespace varve::server::testing
