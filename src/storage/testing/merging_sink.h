// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "model/histogram.h"
#include "storage/testing/hourly_sink.h"
#include "storage/testing/store_fixture.h"

namespace varve::storage::testing {

// What the hours of a series have: histograms as one, numbers, and each of the other texts.
struct Hour {
  std::uint64_t histograms = 0, numbers = 0;
  double sum = 0;  // of the numbers
  std::string merged;
  model::Timestamp first = model::kTimestampMax;  // of the histograms
  std::set<std::pair<model::Timestamp, std::string>> texts;
  bool operator==(const Hour&) const = default;

  void add_histogram(model::Timestamp time, std::uint64_t count, std::string_view bytes) {
    const auto one = model::decode_histogram(bytes);
    if (!one) return;
    auto all = model::decode_histogram(merged);
    if (all) {
      model::merge(*all, *one);
    } else {
      all = one;
    }
    merged = model::encode(*all);
    histograms += count;
    first = std::min(first, time);
  }
  void add(model::Timestamp time, const model::Value& value) {
    if (value.type == model::ValueType::histogram) {
      add_histogram(time, 1, value.text);
    } else if (model::in_text(value.type)) {
      texts.emplace(time, value.text);
    } else {
      ++numbers;
      sum += value.type == model::ValueType::long_ ? static_cast<double>(value.as_long()) : value.as_double();
    }
  }
};
// NOLINTNEXTLINE(readability-identifier-naming): the name that gtest looks for
inline void PrintTo(const Hour& hour, std::ostream* out) {
  const auto merged = model::decode_histogram(hour.merged);
  *out << hour.histograms << " histograms of " << (merged ? merged->count() : 0) << " in "
       << (merged ? merged->bins.size() : 0) << " bins, " << hour.numbers << " numbers, " << hour.texts.size()
       << " texts";
}
using Hours = std::map<model::Timestamp, Hour>;

inline Hours hours_of(const Samples& samples) {
  Hours hours;
  for (const auto& [time, value] : samples) hours[HourlySink::hour(time)].add(time, value.view());
  return hours;
}

// Takes histograms merged, and numbers as windows or one by one.
class MergingSink final : public PieceSink {
 public:
  MergingSink(std::size_t series, bool numbers) : numbers_(numbers), hours_(series) {}
  bool takes_stats(const ChunkStats&) override { return false; }
  void stats(const ChunkStats&) override {}
  bool takes_windows(std::size_t, model::TimeRange, std::int64_t width_ms) override {
    return HourlySink::kHourMs % width_ms == 0;
  }
  [[nodiscard]] WindowFields window_fields(std::size_t) const override {
    return {.sum = true, .numbers = numbers_, .histograms = true};
  }
  void window_columns(const WindowColumns& given) override {
    const MutexLock lock(mutex_);
    EXPECT_TRUE(numbers_);
    for (std::size_t i = 0; i < given.size(); ++i) {
      Hour& hour = hours_[given.series][HourlySink::hour(given.starts[i])];
      hour.numbers += given.counts[i];
      hour.sum += std::bit_cast<double>(given.sums[i]);
    }
  }
  Status histogram_columns(const HistogramColumns& given) override {
    const MutexLock lock(mutex_);
    EXPECT_GT(given.size(), 0U);
    for (std::size_t i = 0; i < given.size(); ++i) {
      EXPECT_GT(given.counts[i], 0U);
      EXPECT_TRUE(i == 0 || given.times[i - 1] < given.times[i]);
      hours_[given.series][HourlySink::hour(given.times[i])].add_histogram(given.times[i], given.counts[i],
                                                                           given.merged[i]);
    }
    windows += given.size();
    return {};
  }
  Status piece(const Piece& piece) override {
    const MutexLock lock(mutex_);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      model::Value value{piece.type, 0, {}};
      if (model::in_text(piece.type)) {
        value.text = piece.texts[i];
      } else {
        value.bits = piece.bits[i];
      }
      hours_[piece.series][HourlySink::hour(piece.times[i])].add(piece.times[i], value);
      if (piece.type == model::ValueType::histogram) ++samples;
    }
    return {};
  }
  // After the scan, without the mutex: there is one thread.
  [[nodiscard]] const Hours& hours(std::size_t series) const VARVE_NO_THREAD_ANALYSIS { return hours_[series]; }
  std::size_t windows = 0, samples = 0;  // of histograms

 private:
  const bool numbers_;
  Mutex mutex_;
  std::vector<Hours> hours_ VARVE_GUARDED_BY(mutex_);
};

// Of whole numbers, whose sums are exact.
inline std::string small_histogram(std::uint64_t number) {
  model::Histogram out;
  out.precision = 4 + number % 4;
  for (std::uint64_t i = 0; i <= number % 5; ++i) {
    const auto value = static_cast<double>((number * 31 + i * 17) % 1000) - 300;
    out.min = out.bins.empty() ? value : std::min(out.min, value);
    out.max = out.bins.empty() ? value : std::max(out.max, value);
    out.sum += value;
    out.bins.push_back({model::bin_of(value, out.precision), 1});
  }
  out.mean = out.sum / static_cast<double>(out.bins.size());
  model::normalize(out);
  return model::encode(out);
}

}  // namespace varve::storage::testing
