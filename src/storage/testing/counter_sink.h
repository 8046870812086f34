// SPDX-License-Identifier: Apache-2.0
// Counter sink: how a counter grew, of windows and samples; and the same of samples alone, to compare with.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "base/mutex.h"
#include "counter/declared.h"
#include "storage/testing/store_fixture.h"

namespace varve::storage::testing {

// What engines under test are told to be counters: metrics whose names end in _grown.
inline std::shared_ptr<const counter::Declared> test_counters() {
  return std::make_shared<const counter::Declared>(std::vector<counter::Pattern>{{"*_grown", 60'000}});
}
inline counter::Declaration test_declaration() { return counter::declaration_of({"*_grown", 60'000}); }

using Growth = std::vector<counter::Window<std::uint64_t>>;
using WholeSummary = counter::Summary<std::uint64_t>;

// Of summaries in any order. A sample in the middle of another summary came after its window was made for good.
// `rates`: with base rates.
inline Growth growth_of(std::vector<WholeSummary> list, std::int64_t width_ms, bool rates) {
  std::ranges::sort(list, {}, [](const WholeSummary& s) { return std::pair(s.first.time, -s.last.time); });
  std::vector<WholeSummary> apart;
  for (const WholeSummary& one : list) {
    if (apart.empty() || one.first.time > apart.back().last.time) apart.push_back(one);
  }
  Growth growth = counter::windows_of<std::uint64_t>(apart, width_ms);
  if (rates) return growth;
  std::erase_if(growth, [](const auto& window) { return window.covered_ms == 0; });
  for (auto& window : growth) window.least = window.greatest = {};
  return growth;
}

// Without base bins, which a stretch does not tell.
inline WholeSummary summary_of(const counter::Stretch& window) {
  WholeSummary out =
      counter::summary_of<std::uint64_t>({test_declaration().base_ms, window.rules}, {window.first_time, window.first});
  out.last = {window.last_time, window.last};
  out.tail.start = model::window_start(window.last_time, test_declaration().base_ms);
  out.increase = window.increase;
  out.covered_ms = window.covered_ms;
  return out;
}

inline WholeSummary summary_of_sample(model::Timestamp time, std::uint64_t bits) {
  const auto declared = test_declaration();
  return counter::summary_of<std::uint64_t>({declared.base_ms, declared.rules}, {time, bits});
}

// Of longs.
class CounterSink final : public PieceSink {
 public:
  // `summaries`: growth with base rates is asked for.
  CounterSink(std::size_t series, std::int64_t width_ms, bool summaries)
      : width_ms_(width_ms), summaries_(summaries), found_(series) {}

  bool takes_stats(const ChunkStats&) override { return false; }
  void stats(const ChunkStats&) override {}
  bool takes_windows(std::size_t, model::TimeRange, std::int64_t width_ms) override {
    return width_ms_ % width_ms == 0;
  }
  [[nodiscard]] WindowFields window_fields(std::size_t) const override {
    return {.numbers = false, .counters = true, .summaries = summaries_};
  }
  bool takes_counter(std::size_t, const counter::Stretch& window) override {
    return takes_counters && window.type == model::ValueType::long_ &&
           window.rules.gap_ms == test_declaration().rules.gap_ms;
  }
  Status counter_columns(const CounterColumns& windows) override {
    const MutexLock lock(mutex_);
    EXPECT_EQ(windows.summaries.size(), summaries_ ? windows.stretches.size() : 0);
    for (std::size_t i = 0; i < windows.stretches.size(); ++i) {
      found_[windows.series].push_back(summaries_ ? std::get<WholeSummary>(windows.summaries[i])
                                                  : summary_of(windows.stretches[i]));
      widths.insert(windows.width_ms);
    }
    for (const std::uint64_t count : windows.counts) samples += count;
    return {};
  }
  Status piece(const Piece& piece) override {
    if (piece.type != model::ValueType::long_) return {};
    const MutexLock lock(mutex_);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      found_[piece.series].push_back(summary_of_sample(piece.times[i], piece.bits[i]));
      ++samples;
    }
    return {};
  }
  // After the scan, without the mutex: there is one thread.
  [[nodiscard]] Growth growth(std::size_t series) const VARVE_NO_THREAD_ANALYSIS {
    return growth_of(found_[series], width_ms_, summaries_);
  }

  bool takes_counters = true;
  std::set<std::int64_t> widths;  // of the windows that were given
  std::size_t samples = 0;

 private:
  const std::int64_t width_ms_;
  const bool summaries_;
  Mutex mutex_;
  std::vector<std::vector<WholeSummary>> found_ VARVE_GUARDED_BY(mutex_);
};

inline Growth growth_of(const Samples& samples, std::int64_t width_ms, bool rates) {
  std::vector<WholeSummary> list;
  for (const auto& [time, value] : samples) {
    if (value.type == model::ValueType::long_) list.push_back(summary_of_sample(time, value.bits));
  }
  return growth_of(std::move(list), width_ms, rates);
}

inline Growth within(Growth growth, model::TimeRange range) {
  std::erase_if(growth, [&](const auto& window) { return !range.contains(window.start); });
  return growth;
}

}  // namespace varve::storage::testing
