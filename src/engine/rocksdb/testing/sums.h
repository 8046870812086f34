// SPDX-License-Identifier: Apache-2.0
// Sums of windows, as a query makes them: from statistics where the scan gives some, else from samples.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <vector>

#include "model/time.h"
#include "storage/testing/store_fixture.h"

namespace varve::engine::rocksdb::testing {

struct Sum {
  std::uint64_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;
  model::Timestamp first = 0;
  void add(model::Timestamp time, std::uint64_t n, double s, double lo, double hi) {
    first = count == 0 ? time : std::min(first, time);
    // What is unknown (NaN) stays unknown.
    if (count == 0 || lo < min || std::isnan(lo)) min = lo;
    if (count == 0 || hi > max || std::isnan(hi)) max = hi;
    sum += s;
    count += n;
  }
};
using Sums = std::map<model::Timestamp, Sum>;  // by start of the window

// Takes whatever says enough for windows of one width; all series together.
class SumSink final : public storage::PieceSink {
 public:
  SumSink(std::int64_t width, model::TimeRange range, bool extremes = true)
      : width_(width), range_(range), extremes_(extremes) {}
  bool takes_stats(const storage::ChunkStats& s) override {
    return range_.contains(s.first_time) && range_.contains(s.last_time) &&
           model::window_start(s.first_time, width_) == model::window_start(s.last_time, width_);
  }
  bool takes_windows(std::size_t, model::TimeRange range, std::int64_t width) override {
    return width_ % width == 0 && range.first >= range_.first && range.last <= range_.last;
  }
  [[nodiscard]] storage::WindowFields window_fields(std::size_t) const override {
    return {.first_time = true, .sum = true, .min = extremes_, .max = extremes_};
  }
  void window_columns(const storage::WindowColumns& of_series) override {
    EXPECT_GT(of_series.size(), 0U);
    const std::lock_guard lock(mutex_);
    const auto real = [](std::span<const std::uint64_t> column, std::size_t i) {
      return column.empty() ? 0 : std::bit_cast<double>(column[i]);
    };
    for (std::size_t i = 0; i < of_series.size(); ++i) {
      const model::Timestamp first = of_series.starts[i] + static_cast<std::int64_t>(of_series.offsets[i]);
      EXPECT_TRUE(range_.contains(first));
      EXPECT_GT(of_series.counts[i], 0U);
      sums[model::window_start(first, width_)].add(first, of_series.counts[i], real(of_series.sums, i),
                                                   real(of_series.mins, i), real(of_series.maxs, i));
      ++windows;
    }
  }
  void stats(const storage::ChunkStats& s) override {
    EXPECT_TRUE(takes_stats(s));
    const std::lock_guard lock(mutex_);
    sums[model::window_start(s.first_time, width_)].add(s.first_time, s.count, s.sum, s.min, s.max);
    ++windows;
  }
  Status piece(const storage::Piece& piece) override {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (model::in_text(piece.type)) continue;
      const double v = piece.type == model::ValueType::double_
                           ? std::bit_cast<double>(piece.bits[i])
                           : static_cast<double>(static_cast<std::int64_t>(piece.bits[i]));
      if (!std::isfinite(v)) continue;
      sums[model::window_start(piece.times[i], width_)].add(piece.times[i], 1, v, v, v);
      ++samples;
    }
    return {};
  }
  Sums sums;
  std::size_t windows = 0;
  std::size_t samples = 0;

 private:
  const std::int64_t width_;
  const model::TimeRange range_;
  const bool extremes_;
  std::mutex mutex_;
};

inline void expect_equal(const Sums& a, const Sums& b, bool extremes = true) {
  ASSERT_EQ(a.size(), b.size());
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
    EXPECT_EQ(x->first, y->first);
    EXPECT_EQ(x->second.count, y->second.count) << x->first;
    EXPECT_EQ(x->second.first, y->second.first) << x->first;
    EXPECT_NEAR(x->second.sum, y->second.sum, 1e-9 * (1 + std::abs(y->second.sum))) << x->first;
    if (!extremes) continue;
    EXPECT_EQ(x->second.min, y->second.min) << x->first;
    EXPECT_EQ(x->second.max, y->second.max) << x->first;
  }
}

}  // namespace varve::engine::rocksdb::testing
