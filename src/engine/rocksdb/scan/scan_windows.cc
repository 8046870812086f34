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

constexpr storage::WindowFields kNothing;  // but starts and counts

enum class Samples : std::uint8_t { numbers, texts, texts_but_histograms };

// Samples of one series that are to be read although its windows are.
struct Again {
  std::uint32_t series = 0;
  Samples samples{};
  TimeRange range;
};

// Lets through only what is wanted again.
class OnlySink final : public storage::PieceSink {
 public:
  OnlySink(storage::PieceSink& sink, Samples samples) : sink_(sink), samples_(samples) {}
  [[nodiscard]] bool takes_markers() const override { return samples_ == Samples::numbers && sink_.takes_markers(); }
  bool takes_stats(const storage::ChunkStats& stats) override {
    return samples_ == Samples::numbers && sink_.takes_stats(stats);
  }
  void stats(const storage::ChunkStats& stats) override { sink_.stats(stats); }
  Status piece(const storage::Piece& piece) override {
    const bool wanted = model::in_text(piece.type) == (samples_ != Samples::numbers) &&
                        (samples_ != Samples::texts_but_histograms || piece.type != model::ValueType::histogram);
    return wanted ? sink_.piece(piece) : Status{};
  }

 private:
  storage::PieceSink& sink_;
  const Samples samples_;
};

class WindowScan {
 public:
  WindowScan(const ScanSource& source, const SlotList& slots, const Segment& segment,
             const storage::ScanOptions& options, std::span<const Place> places, storage::PieceSink& sink)
      : source_(source), slots_(slots), segment_(segment), options_(options), places_(places), sink_(sink) {}

  Status run() {
    std::vector<Place> by_series(places_.begin(), places_.end());
    std::ranges::sort(by_series, {}, [&](const Place& p) { return source_.series[p.series]; });
    VARVE_RETURN_IF_ERROR(for_each_level_slot(*source_.view.runs, source_.tenant, width_ms_, source_.chunk_width_ms,
                                              segment_.range,
                                              [&](const Runs::OfSlot& slot) { return read(slot, by_series); }));
    return again_.empty() ? Status{} : read_again();
  }

 private:
  Status read(const Runs::OfSlot& slot, std::span<const Place> by_series) {
    WindowReader reader(source_, slot);
    storage::WindowColumns columns;
    columns.width_ms = width_ms_;
    std::uint32_t before = ~std::uint32_t{0};
    unsigned looked = 0;
    for (const Place& place : by_series) {
      if (place.series == before) continue;
      before = place.series;
      if ((looked++ & 63) == 0) VARVE_RETURN_IF_ERROR(ScanRange::interrupted(source_, options_));
      const model::SeriesId series = source_.series[place.series];
      columns.series = place.series;
      const storage::WindowFields fields = sink_.window_fields(place.series);
      if (fields.counters) {
        shared::WindowCounters counters;
        VARVE_RETURN_IF_ERROR(reader.read(rollup::number_group(series), fields.summaries, counters));
        VARVE_RETURN_IF_ERROR(give_counters(place.series, counters));
      } else {
        VARVE_RETURN_IF_ERROR(reader.read(rollup::number_group(series), fields.numbers ? fields : kNothing, columns));
        const auto windows = shared::windows_in(columns, segment_.range);
        fields.numbers ? give(windows) : read_again(windows);
      }
      VARVE_RETURN_IF_ERROR(reader.read(rollup::text_group(series), fields.histograms, texts_));
      VARVE_RETURN_IF_ERROR(give_histograms(place.series));
    }
    return {};
  }

  // Where they are not all that is known, the samples are read, if they are there.
  Status give_counters(std::uint32_t series, const shared::WindowCounters& windows) {
    stretches_.clear();
    counts_.clear();
    summaries_.clear();
    for (std::size_t i = 0; i < windows.starts.size(); ++i) {
      if (windows.counts[i] == 0 || !segment_.range.contains(windows.starts[i])) continue;
      const rollup::CounterStretch& w = windows.counters[i];
      const bool good = w.is_there && w.exact && sink_.takes_counter(series, w.stretch);
      if (good || (w.is_there && is_dropped(range_of(windows.starts[i])))) {
        stretches_.push_back(w.stretch);
        counts_.push_back(windows.counts[i]);
        if (const auto* const summary = windows.summary(i)) summaries_.push_back(*summary);
      } else {
        add_again(series, Samples::numbers, range_of(windows.starts[i]));
      }
    }
    return stretches_.empty() ? Status{} : sink_.counter_columns({series, width_ms_, stretches_, counts_, summaries_});
  }

  // Of texts_. What their windows do not say is read again: all texts, or those beside the histograms.
  Status give_histograms(std::uint32_t series) {
    for (const shared::WindowHistograms& w : texts_) {
      if (w.count == 0 || !segment_.range.contains(w.start)) continue;
      const TimeRange range = range_of(w.start);
      if (w.histograms == 0 || (!w.exact && !is_dropped(range))) {
        add_again(series, Samples::texts, range);
        continue;
      }
      histograms_.add(w);
      if (w.histograms != w.count) add_again(series, Samples::texts_but_histograms, range);
    }
    return histograms_.give(series, width_ms_, sink_);
  }

  // The samples of these windows of numbers.
  void read_again(const storage::WindowColumns& windows) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      if (windows.counts[i] == 0) continue;
      add_again(static_cast<std::uint32_t>(windows.series), Samples::numbers, range_of(windows.starts[i]));
    }
  }

  [[nodiscard]] TimeRange range_of(Timestamp start) const { return {start, start + width_ms_}; }

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
        again_.push_back({static_cast<std::uint32_t>(columns.series), Samples::numbers, range_of(columns.starts[i])});
      }
    }
    give_until(columns.size());
  }

  static bool is_gone(const SlotList::Slot& slot) { return slot.mark != nullptr && slot.mark->dropped; }
  [[nodiscard]] bool is_dropped(TimeRange range) const { return std::ranges::any_of(slots_.in(range), is_gone); }

  // Of slots whose samples are gone, what came since is read as samples anyway.
  void add_again(std::uint32_t series, Samples samples, TimeRange range) {
    for (const auto& slot : slots_.in(range)) {
      if (!is_gone(slot)) again_.push_back({series, samples, model::both({slot.start, slot.end}, range)});
    }
  }

  Status read_again() {
    std::ranges::sort(again_, {}, [](const Again& a) { return std::tuple(a.series, a.samples, a.range.first); });
    std::vector<Place> places;
    for (std::size_t i = 0; i < again_.size();) {
      Again wanted = again_[i++];
      while (i < again_.size() && again_[i].series == wanted.series && again_[i].samples == wanted.samples &&
             again_[i].range.first <= wanted.range.last) {
        wanted.range.last = std::max(wanted.range.last, again_[i++].range.last);
      }
      if (places.empty() || places[0].series != wanted.series) {
        places.clear();
        std::ranges::copy_if(places_, std::back_inserter(places),
                             [&](const Place& p) { return p.series == wanted.series; });
      }
      OnlySink only(sink_, wanted.samples);
      storage::ScanOptions options = options_;
      options.range = wanted.range;
      ScanRange range(source_, slots_, options, only);
      VARVE_RETURN_IF_ERROR(places.size() == 1 ? range.groups(places) : range.merged(places));
    }
    return {};
  }

  const ScanSource& source_;
  const SlotList& slots_;
  const Segment& segment_;
  const std::int64_t width_ms_ = source_.rollups->levels[segment_.level].width_ms;
  const storage::ScanOptions& options_;
  const std::span<const Place> places_;
  storage::PieceSink& sink_;
  std::vector<shared::WindowHistograms> texts_;  // of the series at hand
  std::vector<counter::Stretch> stretches_;
  std::vector<counter::AnySummary> summaries_;
  std::vector<std::uint64_t> counts_;
  shared::HistogramEmitter histograms_;
  std::vector<Again> again_;
};

}  // namespace

Status scan_windows(const ScanSource& source, const SlotList& slots, const Segment& segment,
                    const storage::ScanOptions& options, std::span<const Place> places, storage::PieceSink& sink) {
  return WindowScan(source, slots, segment, options, places, sink).run();
}

}  // namespace varve::engine::rocksdb
