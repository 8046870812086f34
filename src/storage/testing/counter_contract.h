// SPDX-License-Identifier: Apache-2.0
// The part of the contract of a store that is about how counters grew in windows: whatever is sealed, in whatever order
// samples come, the answer is that of the plain list of samples. Include beside store_contract.h.
#pragma once

#include <random>

#include "base/sort_unique.h"
#include "base/testing/effort.h"
#include "storage/testing/counter_sink.h"
#include "storage/testing/store_contract.h"

namespace varve::storage::testing {

// Some counters, and what was written of them.
class CounterWork {
 public:
  static constexpr std::int64_t kHour = 3'600'000, kMinute = 60'000;

  CounterWork(Engine& engine, Fixture& store, std::uint64_t seed)
      : engine_(engine),
        store_(store),
        random_(seed),
        begin_(model::window_start(engine.now_ms(), kHour) - 30 * kHour) {
    // One counter alone, two in a line, one in two groups: as when an agent sends other fields from some day on.
    groups_ = {store.group({"alone_grown"}), store.group({"first_grown", "second_grown"}), store.group({"moved_grown"}),
               store.group({"moved_grown", "other_grown"})};
    for (Group* const group : groups_) {
      for (const auto& metric : group->metrics) metrics_.push_back(metric);
    }
    sort_unique(metrics_);
  }

  // Polls of all groups over some time that begins so many hours after the start: jitter, outages, resets; then in any
  // order, in batches.
  void put(std::int64_t from_hours, std::int64_t hours) {
    std::vector<std::tuple<model::Timestamp, Group*, std::vector<std::int64_t>>> rows;
    for (Group* const group : groups_) {
      const bool is_moved = group->metrics[0] == "moved_grown";
      const bool is_later = group->metrics.size() == 2;
      const std::int64_t end = begin_ + (from_hours + hours) * kHour;
      for (model::Timestamp time = begin_ + from_hours * kHour; time < end; time += step()) {
        if (is_moved && (time < begin_ + 12 * kHour + 20 * kMinute) == is_later) continue;
        std::vector<std::int64_t> values;
        for (const auto& metric : group->metrics) values.push_back(grown(metric));
        rows.emplace_back(time, group, std::move(values));
      }
    }
    std::shuffle(rows.begin(), rows.end(), random_);
    for (std::size_t i = 0; i < rows.size();) {
      model::RowBatch batch;
      for (std::size_t n = 1 + pick(400); n > 0 && i < rows.size(); --n, ++i) {
        const auto& [time, group, values] = rows[i];
        std::vector<model::Value> row;
        for (const std::int64_t value : values) row.push_back(model::Value::of_long(value));
        batch.add(store_.line(*group), time, row);
        for (std::size_t m = 0; m < row.size(); ++m) written_[group->metrics[m]][time] = OwnedValue(row[m]);
      }
      ASSERT_TRUE(store_.append(batch));
    }
  }

  // A few samples somewhere: late, at the edges of slots, or over others; sometimes what is no number.
  void put_late(int count) {
    for (int i = 0; i < count; ++i) {
      Group* const group = groups_[pick(2)];
      const model::Timestamp edge = begin_ + static_cast<std::int64_t>(pick(24)) * kHour;
      model::Timestamp time = edge + static_cast<std::int64_t>(pick(4'000'000)) - 2'000'000;
      if (pick(2) == 0) time = edge + static_cast<std::int64_t>(pick(3)) - 1;
      auto& of_first = written_[group->metrics[0]];
      if (pick(3) == 0 && !of_first.empty()) {
        const auto over = of_first.lower_bound(time);
        if (over != of_first.end()) time = over->first;
      }
      std::vector<model::Value> row;
      for (const auto& metric : group->metrics) {
        const bool is_text = group->metrics.size() == 1 && pick(9) == 0;  // a text stands alone in its line
        row.push_back(is_text ? model::Value::of_string("gone") : model::Value::of_long(grown(metric)));
        written_[metric][time] = OwnedValue(row.back());
      }
      ASSERT_TRUE(store_.put(*group, time, row));
    }
  }

  void erase() {
    const model::Timestamp first = begin_ + static_cast<std::int64_t>(pick(24 * 3'600'000));
    const model::TimeRange range{first, first + 1 + static_cast<std::int64_t>(pick(9'000'000))};
    const std::string& metric = metrics_[pick(metrics_.size())];
    ASSERT_TRUE(engine_.samples().erase(store_.tenant(), store_.find(metric), range, nullptr));
    std::erase_if(written_[metric], [&](const auto& sample) { return range.contains(sample.first); });
  }

  // All counters at once, over a random range; with windows of an hour or of five minutes.
  void look() {
    const std::int64_t width_ms = pick(2) == 0 ? kHour : 5 * kMinute;
    const model::Timestamp first =
        model::window_start(begin_ + (static_cast<std::int64_t>(pick(26)) - 2) * kHour, width_ms);
    const model::TimeRange asked{first, first + static_cast<std::int64_t>(1 + pick(20)) * kHour};
    std::vector<model::SeriesId> series;
    for (const auto& metric : metrics_) series.push_back(store_.find(metric).at(0));
    ScanOptions options;
    const std::int64_t gap_ms = test_declaration().rules.gap_ms;
    // The base bin around an edge is known when the samples around the bin are.
    const std::int64_t reach_ms = gap_ms + test_declaration().base_ms;
    options.range = {asked.first - reach_ms, asked.last + reach_ms};
    const bool rates = pick(2) == 0;
    CounterSink sink(series.size(), width_ms, rates);
    ASSERT_TRUE(engine_.samples().scan(store_.tenant(), series, options, sink));
    for (std::size_t s = 0; s < series.size(); ++s) {
      EXPECT_EQ(within(sink.growth(s), asked), within(growth_of(written_[metrics_[s]], width_ms, rates), asked))
          << metrics_[s];
    }
    widths = sink.widths;
    // A sink that does not like what the windows say gets samples.
    CounterSink picky(series.size(), width_ms, rates);
    picky.takes_counters = false;
    ASSERT_TRUE(engine_.samples().scan(store_.tenant(), series, options, picky));
    EXPECT_TRUE(picky.widths.empty());
    for (std::size_t s = 0; s < series.size(); ++s) {
      EXPECT_EQ(within(picky.growth(s), asked), within(growth_of(written_[metrics_[s]], width_ms, rates), asked));
    }
  }

  // What is asked of the counters' own values is what it was.
  void look_at_values() {
    for (const auto& metric : metrics_) EXPECT_EQ(store_.read(metric), written_[metric]) << metric;
  }

  std::size_t pick(std::size_t below) { return random_() % below; }

  std::set<std::int64_t> widths;  // of the windows of the last look

 private:
  std::int64_t step() {
    if (pick(60) == 0) return static_cast<std::int64_t>(pick(static_cast<std::size_t>(2 * kHour)));
    return 1 + kMinute / 2 + static_cast<std::int64_t>(pick(kMinute));
  }
  std::int64_t grown(const std::string& metric) {
    std::int64_t& value = values_[metric];
    value =
        pick(50) == 0 ? static_cast<std::int64_t>(pick(10)) : value + static_cast<std::int64_t>(pick(1'000'000'000));
    return value;
  }

  Engine& engine_;
  Fixture& store_;
  std::mt19937_64 random_;
  const model::Timestamp begin_;
  std::vector<Group*> groups_;
  std::vector<std::string> metrics_;
  std::map<std::string, std::int64_t> values_;
  std::map<std::string, Samples> written_;
};

TEST_P(StoreContract, counters_grow_as_their_samples_say) {
  CounterWork work(*engine, store, 5);
  const auto look = [&] {
    for (int i = 0; i < varve::testing::effort(3) && !HasFailure(); ++i) work.look();
    work.look_at_values();
  };
  // Later hours before earlier ones: each slot is sealed without its neighbours.
  for (const std::int64_t hour : {14, 3, 20, 9, 0}) {
    work.put(hour, hour == 0 ? 3 : 5);
    everywhere(look);
    if (engine->advance_ms(10 * CounterWork::kMinute)) {
      ASSERT_TRUE(engine->samples().settle());
      look();
    }
  }
  for (int round = 0; round < 4 && !HasFailure(); ++round) {
    work.put_late(10);
    everywhere(look);
    if (round % 2 == 1) work.erase();
    look();
    if (engine->advance_ms(10 * CounterWork::kMinute)) {
      ASSERT_TRUE(engine->samples().settle());
      look();
    }
  }
  if (!engine->makes_windows()) return;
  for (int i = 0; i < 10 && work.widths.empty(); ++i) work.look();
  EXPECT_FALSE(work.widths.empty()) << "windows are read";
}

}  // namespace varve::storage::testing
