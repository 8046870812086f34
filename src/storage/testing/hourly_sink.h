// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "storage/sample_store.h"

namespace varve::storage::testing {

// How many numbers there are in each hour, and their sum, of windows, statistics or samples.
class HourlySink final : public PieceSink {
 public:
  using Hours = std::map<model::Timestamp, std::pair<std::uint64_t, double>>;

  static constexpr std::int64_t kHourMs = 3'600'000;

  explicit HourlySink(std::size_t series) : hours_(series) {}
  bool takes_stats(const ChunkStats& stats) override { return hour(stats.first_time) == hour(stats.last_time); }
  void stats(const ChunkStats& stats) override { add(stats.series, stats.first_time, stats.count, stats.sum); }
  bool takes_windows(std::size_t, model::TimeRange, std::int64_t width_ms) override { return kHourMs % width_ms == 0; }
  [[nodiscard]] WindowFields window_fields(std::size_t) const override { return {.sum = true}; }
  void window_columns(const WindowColumns& windows) override {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      add(windows.series, windows.starts[i], windows.counts[i], std::bit_cast<double>(windows.sums[i]));
    }
    const MutexLock lock(mutex_);
    windows_ += windows.size();
  }
  Status piece(const Piece& piece) override {
    if (model::in_text(piece.type)) return {};
    for (std::size_t i = 0; i < piece.size(); ++i) {
      add(piece.series, piece.times[i], 1, static_cast<double>(static_cast<std::int64_t>(piece.bits[i])));
    }
    return {};
  }
  static model::Timestamp hour(model::Timestamp time) { return model::window_start(time, kHourMs); }
  // After the scan, without the mutex: there is one thread.
  [[nodiscard]] const Hours& hours(std::size_t series) const VARVE_NO_THREAD_ANALYSIS { return hours_[series]; }
  [[nodiscard]] std::size_t windows() const VARVE_NO_THREAD_ANALYSIS { return windows_; }

 private:
  void add(std::size_t series, model::Timestamp time, std::uint64_t count, double sum) {
    const MutexLock lock(mutex_);
    auto& [known_count, known_sum] = hours_[series][hour(time)];
    known_count += count;
    known_sum += sum;
  }

  Mutex mutex_;
  std::vector<Hours> hours_ VARVE_GUARDED_BY(mutex_);
  std::size_t windows_ VARVE_GUARDED_BY(mutex_) = 0;
};

}  // namespace varve::storage::testing
