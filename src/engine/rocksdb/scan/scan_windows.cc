// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/scan/scan_windows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/scan/window_reader.h"
#include "rollup/columns.h"

namespace varve::engine::rocksdb {
namespace {

using model::TimeRange;
using model::Timestamp;

// Samples of one series that are to be read although its windows are: its texts or its numbers.
struct Again {
  std::uint32_t series = 0;
  bool texts = false;
  TimeRange range;
};

// Lets through only what is wanted again.
class OnlySink final : public storage::PieceSink {
 public:
  OnlySink(storage::PieceSink& sink, bool texts) : sink_(sink), texts_(texts) {}
  bool takes_stats(const storage::ChunkStats& stats) override { return !texts_ && sink_.takes_stats(stats); }
  void stats(const storage::ChunkStats& stats) override { sink_.stats(stats); }
  Status piece(const storage::Piece& piece) override {
    return model::in_text(piece.type) == texts_ ? sink_.piece(piece) : Status{};
  }

 private:
  storage::PieceSink& sink_;
  const bool texts_;
};

class WindowScan {
 public:
  WindowScan(const ScanSource& source, const SlotList& slots, const Stretch& stretch,
             const storage::ScanOptions& options, std::span<const Place> places, storage::PieceSink& sink)
      : source_(source), slots_(slots), stretch_(stretch), options_(options), places_(places), sink_(sink) {}

  Status run() {
    std::vector<Place> by_series(places_.begin(), places_.end());
    std::ranges::sort(by_series, {}, [&](const Place& p) { return source_.series[p.series]; });
    VARVE_CHECK_OK(for_each_level_slot(*source_.view.runs, source_.tenant, stretch_.granularity_ms,
                                       source_.chunk_width_ms, stretch_.range,
                                       [&](const Runs::OfSlot& slot) { return read(slot, by_series); }));
    return again_.empty() ? Status{} : read_again();
  }

 private:
  Status read(const Runs::OfSlot& slot, std::span<const Place> by_series) {
    WindowReader reader(source_, slot);
    storage::WindowColumns columns;
    columns.width_ms = stretch_.granularity_ms;
    std::uint32_t before = ~std::uint32_t{0};
    unsigned looked = 0;
    for (const Place& place : by_series) {
      if (place.series == before) continue;
      before = place.series;
      if ((looked++ & 63) == 0) VARVE_CHECK_OK(ScanRange::interrupted(source_, options_));
      const model::SeriesId series = source_.series[place.series];
      columns.series = place.series;
      VARVE_CHECK_OK(reader.read(rollup::number_group(series), sink_.window_fields(place.series), columns));
      give(cut(columns));
      VARVE_CHECK_OK(reader.read(rollup::text_group(series), texts_));
      for (const auto& w : texts_) {
        if (stretch_.range.contains(w.start)) add_texts(place.series, range_of(w.start));
      }
    }
    return {};
  }

  [[nodiscard]] TimeRange range_of(Timestamp start) const { return {start, start + stretch_.granularity_ms}; }

  // Those in the stretch.
  [[nodiscard]] storage::WindowColumns cut(const storage::WindowColumns& columns) const {
    const auto first = std::ranges::lower_bound(columns.starts, stretch_.range.first);
    const auto last = std::ranges::lower_bound(first, columns.starts.end(), stretch_.range.last);
    return columns.part(static_cast<std::size_t>(first - columns.starts.begin()),
                        static_cast<std::size_t>(last - first));
  }

  // Gives all but empty ones (they have stood before older ones, that was all), and those that are to be read again.
  void give(const storage::WindowColumns& columns) {
    const std::span<const std::uint64_t> extremes = columns.mins.empty() ? columns.maxs : columns.mins;
    const auto is_unknown = [&](std::size_t i) {
      return !extremes.empty() && std::isnan(std::bit_cast<double>(extremes[i]));
    };
    std::size_t given = 0;
    const auto give_until = [&](std::size_t end) {
      if (given < end) sink_.window_columns(columns.part(given, end - given));
      given = end + 1;
    };
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns.counts[i] == 0) {
        give_until(i);
      } else if (is_unknown(i) && !is_dropped(range_of(columns.starts[i]))) {
        give_until(i);
        again_.push_back({static_cast<std::uint32_t>(columns.series), false, range_of(columns.starts[i])});
      }
    }
    give_until(columns.size());
  }

  // The slots in `range` that the scan knows of.
  [[nodiscard]] std::span<const SlotList::Slot> slots_in(TimeRange range) const {
    const auto& all = slots_.all();
    const auto first = std::ranges::lower_bound(all, model::window_start(range.first, source_.chunk_width_ms), {},
                                                &SlotList::Slot::start);
    const auto last = std::ranges::lower_bound(all, range.last, {}, &SlotList::Slot::start);
    return {first, last};
  }
  static bool is_gone(const SlotList::Slot& slot) { return slot.mark != nullptr && slot.mark->dropped; }
  [[nodiscard]] bool is_dropped(TimeRange range) const { return std::ranges::any_of(slots_in(range), is_gone); }

  // Of slots whose samples are gone, what came since is read as samples anyway.
  void add_texts(std::uint32_t series, TimeRange range) {
    for (const auto& slot : slots_in(range)) {
      const TimeRange both{std::max(slot.start, range.first),
                           std::min(slot.start + source_.chunk_width_ms, range.last)};
      if (!is_gone(slot)) again_.push_back({series, true, both});
    }
  }

  Status read_again() {
    std::ranges::sort(again_, {}, [](const Again& a) { return std::tuple(a.series, a.texts, a.range.first); });
    std::vector<Place> places;
    for (std::size_t i = 0; i < again_.size();) {
      Again wanted = again_[i++];
      while (i < again_.size() && again_[i].series == wanted.series && again_[i].texts == wanted.texts &&
             again_[i].range.first <= wanted.range.last) {
        wanted.range.last = std::max(wanted.range.last, again_[i++].range.last);
      }
      if (places.empty() || places[0].series != wanted.series) {
        places.clear();
        std::ranges::copy_if(places_, std::back_inserter(places),
                             [&](const Place& p) { return p.series == wanted.series; });
      }
      OnlySink only(sink_, wanted.texts);
      storage::ScanOptions options = options_;
      options.range = wanted.range;
      ScanRange range(source_, slots_, options, only);
      VARVE_CHECK_OK(places.size() == 1 ? range.groups(places) : range.merged(places));
    }
    return {};
  }

  const ScanSource& source_;
  const SlotList& slots_;
  const Stretch& stretch_;
  const storage::ScanOptions& options_;
  const std::span<const Place> places_;
  storage::PieceSink& sink_;
  rollup::Windows texts_;  // of the series at hand
  std::vector<Again> again_;
};

}  // namespace

Status scan_windows(const ScanSource& source, const SlotList& slots, const Stretch& stretch,
                    const storage::ScanOptions& options, std::span<const Place> places, storage::PieceSink& sink) {
  return WindowScan(source, slots, stretch, options, places, sink).run();
}

}  // namespace varve::engine::rocksdb
