// SPDX-License-Identifier: Apache-2.0
// CollectingSink: what one scan reads, to the collectors of the metrics that asked for it. For the threads of the scan.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "query/collector.h"
#include "query/running.h"
#include "storage/sample_store.h"

namespace varve::query {

// Series of one scan, ascending: neighbours by id are neighbours on disk, and one host's metrics lie together.
class Route {
 public:
  struct Stop {
    model::SeriesId series;
    std::uint32_t metric;    // position in the request
    std::uint32_t position;  // in that metric's plan
  };

  // Those of the series that the collector wants.
  void add(std::uint32_t metric, std::span<const model::SeriesId> series, const Collector& collector) {
    for (std::uint32_t i = 0; i < series.size(); ++i) {
      if (collector.wants(i)) stops_.push_back({series[i], metric, i});
    }
  }
  void seal() {
    std::ranges::sort(stops_, {}, [](const Stop& s) { return model::to_int(s.series); });
    for (const Stop& s : stops_) ids_.push_back(s.series);
  }
  [[nodiscard]] std::span<const model::SeriesId> series() const { return ids_; }
  [[nodiscard]] const Stop& operator[](std::size_t position) const { return stops_[position]; }

 private:
  std::vector<Stop> stops_;
  std::vector<model::SeriesId> ids_;
};

class CollectingSink final : public storage::PieceSink {
 public:
  CollectingSink(const Route& route, std::deque<Collector>& collectors, RunningQueries::Ticket& ticket)
      : route_(route), collectors_(collectors), ticket_(ticket) {}

  bool takes_stats(const storage::ChunkStats& stats) override {
    const Route::Stop& stop = route_[stats.series];
    return collectors_[stop.metric].takes_stats(stop.position, stats);
  }
  bool takes_windows(std::size_t series, model::TimeRange range, std::int64_t width_ms) override {
    const Route::Stop& stop = route_[series];
    return collectors_[stop.metric].takes_windows(stop.position, range, width_ms);
  }
  [[nodiscard]] storage::WindowFields window_fields(std::size_t series) const override {
    const Route::Stop& stop = route_[series];
    return collectors_[stop.metric].window_fields(stop.position);
  }
  void stats(const storage::ChunkStats& stats) override {
    const Route::Stop& stop = route_[stats.series];
    ticket_.count().chunk();
    note(collectors_[stop.metric].stats(stop.position, stats));
  }
  void window_columns(const storage::WindowColumns& windows) override {
    const Route::Stop& stop = route_[windows.series];
    ticket_.count().windows(windows.width_ms, windows.size());
    note(collectors_[stop.metric].windows(stop.position, windows));
  }
  Status histogram_columns(const storage::HistogramColumns& windows) override {
    const Route::Stop& stop = route_[windows.series];
    ticket_.count().windows(windows.width_ms, windows.size());
    return collectors_[stop.metric].histograms(stop.position, windows);
  }
  bool takes_counter(std::size_t series, const counter::Stretch& window) override {
    const Route::Stop& stop = route_[series];
    return collectors_[stop.metric].takes_counter(stop.position, window);
  }
  Status counter_columns(const storage::CounterColumns& windows) override {
    const Route::Stop& stop = route_[windows.series];
    ticket_.count().windows(windows.width_ms, windows.stretches.size());
    return collectors_[stop.metric].counters(stop.position, windows);
  }
  Status piece(const storage::Piece& piece) override {
    const Route::Stop& stop = route_[piece.series];
    ticket_.count().samples(piece.size());
    return collectors_[stop.metric].piece(stop.position, piece);
  }
  // A call was over budget that has no way to say so itself.
  [[nodiscard]] bool over() const { return over_; }

 private:
  void note(const Status& status) {
    if (!status) over_ = true;
  }

  const Route& route_;
  std::deque<Collector>& collectors_;
  RunningQueries::Ticket& ticket_;
  std::atomic<bool> over_{false};
};

}  // namespace varve::query
