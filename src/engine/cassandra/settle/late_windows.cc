// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/late_windows.h"

#include <algorithm>

#include "engine/cassandra/scan/column_life.h"
#include "engine/shared/series_folder.h"

namespace varve::engine::cassandra {
namespace {

constexpr ChunkFields kFields{.chunk = true, .lives = true, .added = true};

std::size_t columns_in(const GroupRef& group, unsigned part) {
  return std::min<std::size_t>(kSeriesPerPart, group.columns - std::size_t{part} * kSeriesPerPart);
}

}  // namespace

Result<std::vector<Status>> LateWindows::add_late(std::span<const LateWork> works) {
  std::vector<Status> list;
  for (const LateWork& work : works) {
    list.push_back(add(work));
    if (!list.back() && list.back().error().code != Code::corrupt) return fail(list.back().error());
  }
  return list;
}

Status LateWindows::add(const LateWork& work) const {
  VARVE_TRY(const SlotData late, read_late(work));
  if (late.hot.empty()) return {};
  for (std::size_t level = 0; level < maker_.levels().size(); ++level) VARVE_CHECK_OK(add(work, level, late));
  return {};
}

Result<SlotData> LateWindows::read_late(const LateWork& work) const {
  SlotsWanted wanted{&work.group, {work.slot, work.slot + reader_.slot_ms()}, {}, {work.slot}};
  for (unsigned part = 0; part < parts_of(work.group.columns); ++part) wanted.parts.push_back(part);
  VARVE_TRY(auto lists, reader_.read({&wanted, 1}, {}));
  if (lists[0].empty()) return SlotData{};
  SlotData data = std::move(lists[0][0]);
  const std::int64_t over_ms = work.slot + reader_.slot_ms() + reader_.sealed().retention_ms - kGoneMarginMs;
  std::int64_t sealed_us = over_ms * 1000;  // what came until then was sealed, unless a sealed row says otherwise
  if (!data.sealed.empty()) sealed_us = std::ranges::min(data.sealed, {}, &SlotData::Sealed::read_us).read_us;
  std::erase_if(data.hot, [&](const SlotData::Hot& row) { return row.arrival.us < sealed_us; });
  data.sealed.clear();
  return data;
}

// One unit of one granularity, part by part: each names the rows it has got.
Status LateWindows::add(const LateWork& work, std::size_t level, const SlotData& late) const {
  const ChunkTable& table = maker_.levels()[level];
  const std::int64_t width_ms = maker_.width_ms(level);
  const model::Timestamp unit = model::window_start(work.slot, table.row_ms);
  const std::int64_t read_us = stamps_.draw(clock_.now_ms() * 1000);
  const std::int64_t hot_from_us = (clock_.now_ms() - 2 * kHotKeptMs) * 1000;
  std::vector<RowWrite> rows;
  for (unsigned part = 0; part < parts_of(work.group.columns); ++part) {
    ChunkWrite row{unit, part, {}, {read_us, {}}, {}};
    std::vector<SeriesWindows> series(columns_in(work.group, part));
    row.lives.series.resize(series.size());
    std::shared_ptr<const chunk::Block> block;
    std::vector<RowRead> reads;
    add_reads(reads, table, work.group.cells, part, {unit, unit + 1}, kFields);
    VARVE_CHECK_OK(rows_.read(reads, {}, [&](std::size_t, const RowView& view) -> Status {
      VARVE_TRY(const ChunkRow stored, chunk_row(view, kFields));
      VARVE_TRY(PartLives lives, decode_lives(stored.lives, stored.start));
      lives.series.resize(series.size());
      row.lives.series = std::move(lives.series);
      VARVE_TRY(row.added, decode_arrivals(stored.added));
      VARVE_TRY(block, open_windows(stored.chunk));
      for (unsigned c = 0; block != nullptr && c < series.size(); ++c) {
        VARVE_TRY(series[c], windows_of(*block, c));
      }
      return {};
    }));
    SlotData fresh{late.slot, {}, {}};
    for (const SlotData::Hot& hot : late.hot) {
      if (!std::ranges::binary_search(row.added, hot.arrival)) fresh.hot.push_back(hot);
    }
    if (fresh.hot.empty()) continue;

    shared::Gather gather;
    const std::vector<std::uint16_t> columns = columns_of_part(part, work.group.columns);
    VARVE_CHECK_OK(gather_columns(fresh, columns, gather));
    gather.finish();
    shared::SeriesFolder folder(width_ms);
    folder.start_group();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      folder.fold(gather.times(), gather.columns()[c]);
      row.lives.series[c].add(life_of(gather.times(), gather.columns()[c]));
      if (series[c].numbers.empty()) series[c].kind = work.kinds[columns[c]];
      series[c].numbers = rollup::merged(series[c].numbers, folder.numbers(), series[c].text_parts);
      rollup::Windows more = folder.texts();
      for (rollup::Window& window : more) window.text = series[c].text_parts.copy(window.text);
      series[c].texts = rollup::merged(series[c].texts, more, series[c].text_parts);
    }
    for (const SlotData::Hot& hot : fresh.hot) row.added.push_back(hot.arrival);
    std::ranges::sort(row.added);
    std::erase_if(row.added, [&](const Arrival& arrival) { return arrival.us < hot_from_us; });
    row.chunk = WindowEncoder().encode(series);
    add_write(rows, table, work.group.cells, row, clock_.now_ms());
  }
  return rows.empty() ? Status{} : rows_.write_now(std::move(rows));
}

}  // namespace varve::engine::cassandra
