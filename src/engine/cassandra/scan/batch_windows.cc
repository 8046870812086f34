// SPDX-License-Identifier: Apache-2.0
// What a batch scan gives of rollup blocks.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/cassandra/scan/batch_scan.h"

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;

unsigned in_shard(const Member& member, std::size_t column) {
  return member.columns[column] - member.shard * kSeriesPerColumnShard;
}

// What a rollup block says of one of its texts' windows that start in the range.
Result<std::vector<shared::WindowHistograms>> histograms_in(const chunk::Block& block, std::size_t at,
                                                            TimeRange range) {
  std::vector<model::Timestamp> starts;
  std::vector<chunk::DecodedColumn> columns(block.columns(at));
  VARVE_RETURN_IF_ERROR(shared::check_window_columns(columns.size()));
  VARVE_RETURN_IF_ERROR(block.times(at, starts));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c == 0 || c >= rollup::columns_of(rollup::Kind::text)) VARVE_RETURN_IF_ERROR(block.column(at, c, columns[c]));
  }
  std::vector<shared::WindowHistograms> found;
  VARVE_RETURN_IF_ERROR(shared::to_histograms(starts, columns, found));
  std::erase_if(found, [&](const shared::WindowHistograms& w) { return w.count == 0 || !range.contains(w.start); });
  return found;
}

Result<bool> any_in(const chunk::Block& block, std::size_t at, TimeRange range) {
  std::vector<model::Timestamp> starts;
  VARVE_RETURN_IF_ERROR(block.times(at, starts));
  return std::ranges::any_of(starts, [&](model::Timestamp start) { return range.contains(start); });
}

// What a rollup block says of one of its counters' windows that start in the range.
Result<std::vector<WindowCounter>> counters_in(const chunk::Block& block, std::size_t at, TimeRange range,
                                               bool summaries) {
  std::vector<model::Timestamp> starts;
  std::vector<chunk::DecodedColumn> columns(block.columns(at));
  VARVE_RETURN_IF_ERROR(shared::check_window_columns(columns.size()));
  VARVE_RETURN_IF_ERROR(block.times(at, starts));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (shared::is_of_counters(c, summaries)) VARVE_RETURN_IF_ERROR(block.column(at, c, columns[c]));
  }
  shared::CounterRoom room;
  shared::WindowCounters windows;
  VARVE_RETURN_IF_ERROR(shared::to_counters(starts, columns, summaries, room, windows));
  std::vector<WindowCounter> found;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (windows.counts[i] == 0 || !range.contains(starts[i])) continue;
    WindowCounter& one = found.emplace_back(windows.counts[i], windows.counters[i], std::nullopt);
    if (const auto* const summary = windows.summary(i)) one.summary = *summary;
  }
  return found;
}

// Of a delta counter, whose windows may have places for extremes all the same.
Result<bool> lacks_extremes(const chunk::Block& block, std::size_t at) {
  if (!rollup::has_extremes(block.columns(at))) return true;
  if (!rollup::has_counters(block.columns(at))) return false;
  chunk::DecodedColumn mins;
  VARVE_RETURN_IF_ERROR(block.column(at, 3, mins));
  return std::ranges::any_of(mins.bits, [](std::uint64_t bits) { return std::isnan(std::bit_cast<double>(bits)); });
}

bool says_all(const std::vector<shared::WindowHistograms>& windows) {
  return std::ranges::all_of(windows, &shared::WindowHistograms::says_all);
}

}  // namespace

Result<bool> BatchScan::says_enough(const RollupRow& row, TimeRange range) {
  if (row.block == nullptr) return true;
  const Member& member = members_[row.member];
  const bool some_gone = samples_are_gone(range);
  for (std::size_t c = 0; c < member.columns.size(); ++c) {
    const storage::WindowFields fields = context_.sink.window_fields(member.series[c]);
    if (fields.counters) {
      VARVE_ASSIGN_OR_RETURN(const bool enough, counters_say_enough(row, c, range));
      if (!enough) return false;
    } else if (!fields.numbers) {
      VARVE_ASSIGN_OR_RETURN(const bool enough, histograms_say_enough(row, c, range));
      if (!enough) return false;
      continue;
    }
    if (some_gone) continue;
    const std::size_t numbers = row.block->find(numbers_of(in_shard(member, c)));
    if (fields.extremes() && numbers != row.block->groups()) {
      VARVE_ASSIGN_OR_RETURN(const bool lacks, lacks_extremes(*row.block, numbers));
      if (lacks) return false;
    }
    const std::size_t texts = row.block->find(texts_of(in_shard(member, c)));
    if (texts == row.block->groups()) continue;
    if (!fields.histograms) {
      VARVE_ASSIGN_OR_RETURN(const bool any, any_in(*row.block, texts, range));
      if (any) return false;
      continue;
    }
    VARVE_ASSIGN_OR_RETURN(const auto windows, histograms_in(*row.block, texts, range));
    if (!says_all(windows)) return false;
  }
  return true;
}

// Where nothing but histograms is wanted as windows.
Result<bool> BatchScan::histograms_say_enough(const RollupRow& row, std::size_t column, TimeRange range) {
  const chunk::Block& block = *row.block;
  const unsigned number = in_shard(members_[row.member], column);
  const std::size_t texts = block.find(texts_of(number));
  const std::size_t numbers = block.find(numbers_of(number));
  const bool has_histograms = texts != block.groups() && block.columns(texts) == rollup::kColumnsWithHistograms;
  if (!has_histograms) {
    // Of what has no histograms here, no window is worth reading.
    no_histograms_[row.member] = true;
    return false;
  }
  if (all_samples_are_gone(range)) return true;
  if (numbers != block.groups()) {
    VARVE_ASSIGN_OR_RETURN(const bool any, any_in(block, numbers, range));
    if (any) return false;
  }
  VARVE_ASSIGN_OR_RETURN(const auto windows, histograms_in(block, texts, range));
  return says_all(windows);
}

Result<bool> BatchScan::counters_say_enough(const RollupRow& row, std::size_t c, TimeRange range) {
  if (samples_are_gone(range)) return true;
  const std::size_t at = row.block->find(numbers_of(in_shard(members_[row.member], c)));
  if (at == row.block->groups()) return true;
  VARVE_ASSIGN_OR_RETURN(const auto windows, counters_in(*row.block, at, range, false));
  const std::size_t series = members_[row.member].series[c];
  return std::ranges::all_of(windows, [&](const WindowCounter& w) {
    return w.counter.is_there && w.counter.exact && context_.sink.takes_counter(series, w.counter.stretch);
  });
}

bool BatchScan::are_mixed_counters(std::span<const RollupRow> rows) const {
  if (!context_.sink.window_fields(members_[0].series[0]).counters) return false;
  return 1 < std::ranges::count_if(rows, [&](const RollupRow& row) {
           return row.block != nullptr &&
                  row.block->find(numbers_of(in_shard(members_[row.member], 0))) != row.block->groups();
         });
}

Status BatchScan::give_counters(std::size_t series, std::size_t level, std::span<const WindowCounter> windows) {
  std::vector<counter::Stretch> stretches;
  std::vector<std::uint64_t> counts;
  std::vector<counter::AnySummary> summaries;
  for (const WindowCounter& window : windows) {
    if (!window.counter.is_there) continue;
    stretches.push_back(window.counter.stretch);
    counts.push_back(window.count);
    if (window.summary) summaries.push_back(*window.summary);
  }
  if (stretches.empty()) return {};
  return context_.sink.counter_columns({series, context_.granularities[level], stretches, counts, summaries});
}

Status BatchScan::give_numbers(const RollupRow& row, std::size_t c, std::size_t level, TimeRange range) {
  const Member& member = members_[row.member];
  const std::size_t at = row.block->find(numbers_of(in_shard(member, c)));
  if (at == row.block->groups()) return {};
  VARVE_RETURN_IF_ERROR(shared::check_window_columns(row.block->columns(at)));
  const storage::WindowFields fields = context_.sink.window_fields(member.series[c]);
  const std::array<bool, rollup::kColumnsMax> wanted{true, fields.first_time, fields.sum, fields.min, fields.max};
  VARVE_RETURN_IF_ERROR(row.block->times(at, times_));
  columns_.resize(row.block->columns(at));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (wanted[i]) VARVE_RETURN_IF_ERROR(row.block->column(at, i, columns_[i]));
  }
  storage::WindowColumns windows;
  VARVE_RETURN_IF_ERROR(shared::to_window_columns(times_, columns_, fields, unknown_, windows));
  windows.series = member.series[c];
  windows.width_ms = context_.granularities[level];
  if (const auto shard = shared::windows_in(windows, range); shard.size() != 0) context_.sink.window_columns(shard);
  return {};
}

Status BatchScan::give_windows(const RollupRow& row, std::size_t level, TimeRange range) {
  if (row.block == nullptr) return {};
  const Member& member = members_[row.member];
  for (std::size_t c = 0; c < member.columns.size(); ++c) {
    const storage::WindowFields fields = context_.sink.window_fields(member.series[c]);
    if (fields.counters) {
      const std::size_t at = row.block->find(numbers_of(in_shard(member, c)));
      if (at == row.block->groups()) continue;
      VARVE_ASSIGN_OR_RETURN(const auto windows, counters_in(*row.block, at, range, fields.summaries));
      VARVE_RETURN_IF_ERROR(give_counters(member.series[c], level, windows));
      continue;
    }
    if (fields.numbers) VARVE_RETURN_IF_ERROR(give_numbers(row, c, level, range));
    const std::size_t texts = row.block->find(texts_of(in_shard(member, c)));
    if (!fields.histograms || texts == row.block->groups()) continue;
    VARVE_ASSIGN_OR_RETURN(const auto windows, histograms_in(*row.block, texts, range));
    for (const shared::WindowHistograms& window : windows) histograms_.add(window);
    VARVE_RETURN_IF_ERROR(histograms_.give(member.series[c], context_.granularities[level], context_.sink));
  }
  return {};
}

// Of one series in several groups: each has counted other samples.
Status BatchScan::give_merged_windows(std::span<const RollupRow> rows, std::size_t level, TimeRange range) {
  std::vector<SeriesWindows> all;
  for (const RollupRow& row : rows) {
    if (row.block == nullptr) continue;
    VARVE_ASSIGN_OR_RETURN(all.emplace_back(), windows_of(*row.block, in_shard(members_[row.member], 0)));
  }
  rollup::Windows numbers, texts;
  rollup::PartPool shards;
  for (const SeriesWindows& one : all) {
    numbers = rollup::merged(numbers, one.numbers, shards);
    texts = rollup::merged(texts, one.texts, shards);
  }
  const auto is_out = [&](const rollup::Window& w) { return w.count == 0 || !range.contains(w.start); };
  std::erase_if(numbers, is_out);
  std::erase_if(texts, is_out);
  const std::size_t series = members_[0].series[0];
  const storage::WindowFields fields = context_.sink.window_fields(series);
  if (fields.counters) {
    std::vector<WindowCounter> windows;
    for (const rollup::Window& w : numbers) {
      if (w.counter == nullptr) continue;
      WindowCounter& one = windows.emplace_back(
          w.count, rollup::CounterStretch{stretch_of(w.counter->summary), true, w.counter->exact}, std::nullopt);
      if (fields.summaries) one.summary = w.counter->summary;
    }
    return give_counters(series, level, windows);
  }
  if (fields.numbers) give_merged_numbers(numbers, level);
  if (!fields.histograms) return {};
  for (const rollup::Window& w : texts) {
    const rollup::TextPart& text = *w.text;
    histograms_.add({w.start, w.count, text.histograms, text.first_histogram, text.exact, text.merged});
  }
  return histograms_.give(series, context_.granularities[level], context_.sink);
}

void BatchScan::give_merged_numbers(const rollup::Windows& merged, std::size_t level) {
  if (merged.empty()) return;
  std::vector<model::Timestamp> starts;
  std::vector<std::uint64_t> counts, offsets, sums, mins, maxs;
  for (const rollup::Window& w : merged) {
    starts.push_back(w.start);
    counts.push_back(w.count);
    offsets.push_back(static_cast<std::uint64_t>(w.first_time - w.start));
    sums.push_back(std::bit_cast<std::uint64_t>(w.sum));
    mins.push_back(std::bit_cast<std::uint64_t>(w.min));
    maxs.push_back(std::bit_cast<std::uint64_t>(w.max));
  }
  context_.sink.window_columns(
      {members_[0].series[0], context_.granularities[level], starts, counts, offsets, sums, mins, maxs});
}

}  // namespace varve::engine::cassandra
