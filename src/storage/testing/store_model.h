// SPDX-License-Identifier: Apache-2.0
// Random work on a store, compared with a plain map: puts of values and markers in any order and through overlapping
// groups, overwrites, late data, settles, restarts, reads of random ranges, as samples and as merged histograms. The
// same seed does the same work.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "storage/testing/merging_sink.h"
#include "storage/testing/store_fixture.h"

namespace varve::storage::testing {

class StoreModel {
 public:
  // Most samples are within some hours of `middle`.
  StoreModel(Engine& engine, std::uint32_t seed, model::Timestamp middle = 0)
      : engine_(engine), store_(engine), middle_(middle), random_(seed) {
    // Groups over eight metrics of one tag set: overlapping ones, so that a series stands in several places.
    for (int g = 0; g < 10; ++g) {
      std::vector<std::string> metrics;
      for (int m = 0; m < 8; ++m) {
        if (pick(3) == 0) metrics.push_back("m" + std::to_string(m));
      }
      if (metrics.empty()) metrics.push_back("m0");
      std::shuffle(metrics.begin(), metrics.end(), random_);
      groups_.push_back(store_.group(metrics));
    }
    for (int m = 0; m < 8; ++m) groups_.push_back(store_.group({"m" + std::to_string(m)}));
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      const auto what = pick(100);
      if (what < 70) {
        put();
      } else if (what < 94) {
        look();
      } else if (what < 96) {
        erase();
      } else if (what < 98) {
        const auto settled = engine_.samples().settle();
        ASSERT_TRUE(settled) << settled.error().message;
      } else {
        store_.restart();
      }
    }
    for (int m = 0; m < 8; ++m) compare("m" + std::to_string(m), {});
  }

 private:
  std::uint32_t pick(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
  }

  model::Timestamp time() {
    // Few distinct times, so that they meet again, most of all in the middle; a few slots, also negative ones.
    if (pick(3) == 0) return middle_;
    const auto off = (static_cast<model::Timestamp>(pick(12)) - 4) * 1'800'000 + pick(6) * 1000;
    return model::nearest_timestamp(middle_ + off);
  }

  OwnedValue value(bool may_be_text) {
    switch (pick(may_be_text ? 11 : 6)) {
      case 0: return OwnedValue(model::Value::of_long(pick(100)));
      case 1: return OwnedValue(model::Value::of_long(-static_cast<std::int64_t>(random_())));
      case 2: return OwnedValue(model::Value::of_double(pick(10'000) / 100.0));
      case 3: return OwnedValue(model::Value::of_double(-1.0 / (1 + pick(7))));
      case 4: return OwnedValue(model::Value::of_double(-0.0));
      case 5: return OwnedValue(model::Value::of_double(pick(1000)));
      case 6: return OwnedValue(model::Value::of_complex(std::string(16, static_cast<char>(pick(3)))));
      case 7: return OwnedValue(model::Value::of_histogram(std::string(pick(60), 'h')));  // bytes that are none
      case 8:
      case 9: return OwnedValue(model::Value::of_histogram(small_histogram(pick(1000))));
      default: return OwnedValue(model::Value::of_string(std::string(pick(20), 'x')));
    }
  }

  void put() {
    model::RowBatch batch;
    put_.clear();
    for (auto rows = 1 + pick(40); rows > 0; --rows) {
      const Group& group = *groups_[pick(static_cast<std::uint32_t>(groups_.size()))];
      const auto at = time();
      if (contradicts(group, at)) continue;
      if (pick(6) == 0 && std::ranges::all_of(group.metrics, [&](const auto& m) { return has_values(want_[m]); })) {
        for (const auto& metric : group.metrics) want_[metric][at] = OwnedValue(model::Value::of_stale_marker());
        batch.add_stale_markers(store_.line(group), at);
        continue;
      }
      std::vector<OwnedValue> owned;
      std::vector<model::Value> values;
      for (std::size_t m = 0; m < group.metrics.size(); ++m) owned.push_back(value(group.metrics.size() == 1));
      for (std::size_t m = 0; m < owned.size(); ++m) {
        values.push_back(owned[m].view());
        want_[group.metrics[m]][at] = owned[m];
      }
      batch.add(store_.line(group), at, values);
    }
    const Status stored = store_.append(batch);
    ASSERT_TRUE(stored) << stored.error().message;
  }

  // A series that has none may be forgotten, and takes no markers then.
  static bool has_values(const Samples& samples) {
    return std::ranges::any_of(samples,
                               [](const auto& sample) { return sample.second.type != model::ValueType::stale_marker; });
  }

  // In one batch, what stands in several groups comes in no particular order (sample_store.h).
  bool contradicts(const Group& group, model::Timestamp at) {
    for (const auto& metric : group.metrics) {
      const auto [known, is_new] = put_.try_emplace({metric, at}, &group);
      if (!is_new && known->second != &group) return true;
    }
    return false;
  }

  void erase() {
    std::vector<model::SeriesId> series;
    const auto first = pick(4) == 0 ? model::kTimestampMin : time() - pick(2);
    const auto last = pick(4) == 0 ? model::kTimestampMax + 1 : first + 1 + pick(8'000'000);
    for (int m = 0; m < 8; ++m) {
      if (pick(3) != 0) continue;
      const auto metric = "m" + std::to_string(m);
      for (const auto one : store_.find(metric)) series.push_back(one);
      std::erase_if(want_[metric], [&](const auto& sample) { return sample.first >= first && sample.first < last; });
    }
    const auto erased = engine_.samples().erase(store_.tenant(), series, {first, last}, nullptr);
    ASSERT_TRUE(erased) << erased.error().message;
  }

  void look() {
    const auto first = time() - pick(2);
    compare("m" + std::to_string(pick(8)), {first, first + pick(10'000'000)});
  }

  void compare(const std::string& metric, model::TimeRange range) {
    Samples want, with_markers;
    for (const auto& [at, value] : want_[metric]) {
      if (!range.contains(at)) continue;
      with_markers.emplace(at, value);
      if (value.type != model::ValueType::stale_marker) want.emplace(at, value);
    }
    EXPECT_EQ(store_.read(metric, range), want) << metric << " in [" << range.first << ", " << range.last << ")";
    if (has_values(want_[metric])) {
      EXPECT_EQ(store_.read_with_markers(metric, range), with_markers) << metric << " from " << range.first;
    }
    compare_merged(metric, range, want);
  }

  // Sums of numbers that are no whole ones depend on their order, in their last digits.
  void compare_merged(const std::string& metric, model::TimeRange range, const Samples& want) {
    const auto series = store_.find(metric);
    if (series.empty()) return;
    const bool numbers = pick(2) == 0;
    MergingSink sink(series.size(), numbers);
    ScanOptions options;
    options.range = range;
    ASSERT_TRUE(engine_.samples().scan(store_.tenant(), series, options, sink));
    Hours found = sink.hours(0), wanted = hours_of(want);
    for (auto& [start, hour] : found) {
      double& sum = wanted[start].sum;
      EXPECT_NEAR(std::exchange(hour.sum, 0), std::exchange(sum, 0), 0.01) << metric << " in the hour " << start;
    }
    EXPECT_EQ(found, wanted) << metric << " in [" << range.first << ", " << range.last << ") " << numbers;
  }

  Engine& engine_;
  Fixture store_;
  const model::Timestamp middle_;
  std::mt19937 random_;
  std::vector<Group*> groups_;
  std::map<std::string, Samples> want_;
  std::map<std::pair<std::string, model::Timestamp>, const Group*> put_;  // in this batch
};

}  // namespace varve::storage::testing
