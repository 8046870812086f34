// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/unit_maker.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/cassandra/scan/column_life.h"
#include "engine/shared/cell_eraser.h"
#include "engine/shared/series_folder.h"

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;
using model::Timestamp;
using rollup::Windows;

constexpr ChunkFields kFields{.chunk = true, .lives = true, .added = true};

// Until when what `row_ms` long rows say is over, or will be soon.
Timestamp gone_until(Timestamp from, std::int64_t row_ms, std::int64_t retention_ms, std::int64_t now_ms) {
  if (retention_ms >= rollup::kForEver) return from;
  const Timestamp end = model::window_start(now_ms + kGoneMarginMs - retention_ms, row_ms);
  return std::max(from, end);
}

// Windows of `list` that start before `until`.
void take_before(Windows& list, Timestamp until) {
  std::erase_if(list, [until](const rollup::Window& w) { return w.start >= until; });
}
void take_from(Windows& list, Timestamp from) {
  std::erase_if(list, [from](const rollup::Window& w) { return w.start < from; });
}

}  // namespace

// One unit of one group.
class UnitMaker::Making {
 public:
  Making(const UnitMaker& maker, std::size_t level, const UnitWork& work)
      : maker_(maker),
        work_(work),
        table_(maker.levels_[level]),
        width_ms_(maker.schema_.rollups[level].width_ms),
        finer_(level == 0 ? maker.reader_.sealed() : maker.levels_[level - 1]),
        series_(work.group.columns),
        lives_(work.group.columns),
        excluded_(work.group.columns) {
    const std::int64_t now_ms = maker.clock_.now_ms();
    gone_until_ = gone_until(work.unit, finer_.row_ms, finer_.retention_ms, now_ms);
  }

  [[nodiscard]] TimeRange range() const { return {work_.unit, work_.unit + table_.row_ms}; }
  [[nodiscard]] bool needs_stored() const { return gone_until_ > work_.unit; }

  // Of the finest granularity: what another group has of one of our series.
  Status exclude(const UnitWork::Elsewhere& elsewhere, const std::vector<SlotData>& slots) {
    const std::uint16_t column = elsewhere.column_there;
    for (const SlotData& data : slots) {
      VARVE_CHECK_OK(gather_columns(data, {&column, 1}, gather_));
      gather_.finish();
      if (gather_.times().empty()) continue;
      const chunk::Column& found = gather_.columns()[0];
      for (std::size_t i = 0; i < gather_.times().size(); ++i) {
        if (found.form == chunk::Column::Form::typed && found.types[i] == chunk::kErased) continue;
        excluded_[elsewhere.column].insert(gather_.times()[i]);
      }
    }
    return {};
  }
  Status add_slots(const std::vector<SlotData>& slots) {
    found_ = found_ || !slots.empty();
    shared::SeriesFolder folder(width_ms_);
    for (const SlotData& data : slots) {
      for (unsigned part = 0; part < parts_of(series_.size()); ++part) VARVE_CHECK_OK(add_part(data, part, folder));
    }
    return {};
  }

  // Of the others: a row of the finer one.
  Status add_finer(unsigned part, const RowView& view) {
    VARVE_TRY(const ChunkRow row, chunk_row(view, kFields));
    found_ = true;
    VARVE_TRY(const PartLives lives, decode_lives(row.lives, row.start));
    VARVE_TRY(const auto added, decode_arrivals(row.added));
    add_arrivals(part, added);  // what was added to the finer one is in this, too
    VARVE_TRY(auto block, open_windows(row.chunk));
    blocks_.push_back(block);
    for (std::size_t c = 0; c < columns_in(part); ++c) {
      const std::size_t column = std::size_t{part} * kSeriesPerPart + c;
      if (c < lives.series.size()) lives_[column].add(lives.series[c]);
      if (block == nullptr) continue;
      VARVE_TRY(const SeriesWindows finer, windows_of(*block, static_cast<unsigned>(c)));
      add(column, finer.kind, finer.numbers, finer.texts);
    }
    return {};
  }

  Status add_stored(unsigned part, const RowView& view) {
    VARVE_TRY(const ChunkRow row, chunk_row(view, kFields));
    found_ = true;
    VARVE_TRY(const PartLives lives, decode_lives(row.lives, row.start));
    VARVE_TRY(const auto added, decode_arrivals(row.added));
    add_arrivals(part, added);
    VARVE_TRY(auto block, open_windows(row.chunk));
    blocks_.push_back(block);
    for (std::size_t c = 0; c < columns_in(part); ++c) {
      Stored& stored = stored_[std::size_t{part} * kSeriesPerPart + c];
      if (c < lives.series.size()) stored.life = lives.series[c];
      if (block == nullptr) continue;
      VARVE_TRY(stored.windows, windows_of(*block, static_cast<unsigned>(c)));
    }
    return {};
  }

  // Nothing where there is nothing, and never was.
  void finish(std::int64_t read_us, std::vector<RowWrite>& rows, MadeUnit& made) {
    if (!found_) return;
    for (auto& [column, stored] : stored_) keep(column, stored);
    WindowEncoder encoder;
    for (unsigned part = 0; part < parts_of(series_.size()); ++part) {
      const std::size_t first = std::size_t{part} * kSeriesPerPart;
      const std::span<const SeriesWindows> series = std::span(series_).subspan(first, columns_in(part));
      ChunkWrite row{work_.unit, part, encoder.encode(series), {read_us, {}}, std::move(added_[part])};
      row.lives.series.assign(lives_.begin() + static_cast<std::ptrdiff_t>(first),
                              lives_.begin() + static_cast<std::ptrdiff_t>(first + series.size()));
      add_write(rows, table_, work_.group.cells, row, maker_.clock_.now_ms());
      for (const SeriesWindows& one : series) made.windows += one.numbers.size() + one.texts.size();
    }
  }

 private:
  void add_arrivals(unsigned part, const std::vector<Arrival>& more) {
    std::vector<Arrival>& all = added_[part];
    all.insert(all.end(), more.begin(), more.end());
    std::ranges::sort(all);
    const auto twice = std::ranges::unique(all);
    all.erase(twice.begin(), twice.end());
  }

  struct Stored {
    SeriesWindows windows;
    storage::SeriesLife life;
  };

  [[nodiscard]] std::size_t columns_in(unsigned part) const {
    return std::min<std::size_t>(kSeriesPerPart, series_.size() - std::size_t{part} * kSeriesPerPart);
  }

  Status add_part(const SlotData& data, unsigned part, shared::SeriesFolder& folder) {
    const std::vector<std::uint16_t> columns = columns_of_part(part, series_.size());
    VARVE_CHECK_OK(gather_columns(data, columns, gather_));
    gather_.finish();
    if (gather_.times().empty()) return {};
    folder.start_group();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::size_t column = columns[c];
      lives_[column].add(life_of(gather_.times(), gather_.columns()[c]));
      if (excluded_[column].empty()) {
        folder.fold(gather_.times(), gather_.columns()[c]);
      } else {
        fold_rest(gather_.columns()[c], excluded_[column], folder);
      }
      add(column, work_.kinds[column], folder.numbers(), folder.texts());
      if (!excluded_[column].empty()) folder.start_group();
    }
    return {};
  }

  // Without the times that another group counts.
  void fold_rest(const chunk::Column& column, const std::unordered_set<Timestamp>& excluded,
                 shared::SeriesFolder& folder) {
    const auto all = gather_.times();
    eraser_.erase_rows(all, {&column, 1}, [&](Timestamp time) { return excluded.contains(time); });
    folder.start_group();
    if (eraser_.empty()) {
      folder.fold({}, chunk::Column{});
    } else {
      folder.fold(eraser_.times(), eraser_.columns()[0]);
    }
  }

  void add(std::size_t column, rollup::Kind kind, const Windows& numbers, const Windows& texts) {
    SeriesWindows& series = series_[column];
    if (!numbers.empty()) series.kind = kind;
    add(series.numbers, numbers);
    add(series.texts, texts);
  }
  // What was folded of one slot is gone with the next: its texts are copied.
  void add(Windows& to, const Windows& finer) {
    if (finer.empty()) return;
    coarser_.clear();
    coarser_texts_.clear();
    rollup::coarsen(finer, width_ms_, coarser_, coarser_texts_);
    // A finer unit may begin before this one, or end after it.
    std::erase_if(coarser_, [&](const rollup::Window& window) { return !range().contains(window.start); });
    if (coarser_.empty()) return;
    for (rollup::Window& window : coarser_) window.text = texts_.copy(window.text);
    if (to.empty() || to.back().start < coarser_.front().start) {
      to.insert(to.end(), coarser_.begin(), coarser_.end());
    } else {
      to = rollup::merged(to, coarser_, texts_);
    }
  }

  // Windows whose samples are gone stay as they are stored.
  void keep(std::size_t column, Stored& stored) {
    const Timestamp until = model::window_start(gone_until_ - 1, width_ms_) + width_ms_;
    SeriesWindows& series = series_[column];
    std::uint64_t points = 0;
    const auto put_in_front = [&](Windows& kept, Windows& fresh) {
      take_before(kept, until);
      take_from(fresh, until);
      for (const rollup::Window& window : kept) points += window.count;
      fresh.insert(fresh.begin(), kept.begin(), kept.end());
    };
    if (series.numbers.empty()) series.kind = stored.windows.kind;
    put_in_front(stored.windows.numbers, series.numbers);
    put_in_front(stored.windows.texts, series.texts);
    if (points == 0) return;
    // What is not a number was counted, too, but nobody knows when.
    storage::SeriesLife life = stored.life;
    life.points = points;
    lives_[column].add(life);
  }

  const UnitMaker& maker_;
  const UnitWork& work_;
  const ChunkTable& table_;
  const std::int64_t width_ms_;
  const ChunkTable& finer_;
  Timestamp gone_until_ = 0;
  bool found_ = false;
  std::vector<SeriesWindows> series_;
  std::vector<storage::SeriesLife> lives_;
  std::vector<std::unordered_set<Timestamp>> excluded_;
  std::unordered_map<std::size_t, Stored> stored_;  // by column
  std::unordered_map<unsigned, std::vector<Arrival>> added_;
  std::vector<std::shared_ptr<const chunk::Block>> blocks_;
  rollup::TextPool texts_;  // of series_, but for those that are stored
  shared::Gather gather_;
  shared::CellEraser eraser_;
  Windows coarser_;
  rollup::TextPool coarser_texts_;
};

Result<std::vector<MadeUnit>> UnitMaker::make(std::size_t level, std::span<const UnitWork> works) const {
  const std::int64_t read_us = stamps_.draw(clock_.now_ms() * 1000);
  std::vector<MadeUnit> list(works.size());
  std::vector<Making> makings;
  for (const UnitWork& work : works) makings.emplace_back(*this, level, work);

  const auto read_all = [&]() -> Status {
    std::vector<RowRead> reads;
    struct Purpose {
      std::size_t work;
      unsigned part;
      bool stored;
    };
    std::vector<Purpose> purposes;
    std::vector<SlotsWanted> slots;
    std::vector<std::pair<std::size_t, const UnitWork::Elsewhere*>> owners;  // of slots
    for (std::size_t w = 0; w < works.size(); ++w) {
      const UnitWork& work = works[w];
      std::vector<unsigned> parts;
      for (unsigned part = 0; part < parts_of(work.group.columns); ++part) parts.push_back(part);
      for (const unsigned part : parts) {
        if (level > 0) add_reads(reads, levels_[level - 1], work.group.cells, part, makings[w].range(), kFields);
        purposes.resize(reads.size(), {w, part, false});
        if (makings[w].needs_stored()) {
          add_reads(reads, levels_[level], work.group.cells, part, {work.unit, work.unit + 1}, kFields);
        }
        purposes.resize(reads.size(), {w, part, true});
      }
      if (level > 0) continue;
      for (const UnitWork::Elsewhere& elsewhere : work.elsewhere) {
        slots.push_back({&elsewhere.group, makings[w].range(), {elsewhere.column_there / kSeriesPerPart}, {}});
        owners.emplace_back(w, &elsewhere);
      }
      slots.push_back({&work.group, makings[w].range(), parts, {}});
      owners.emplace_back(w, nullptr);
    }
    VARVE_CHECK_OK(rows_.read(reads, {}, [&](std::size_t number, const RowView& view) {
      const Purpose& purpose = purposes[number];
      Making& making = makings[purpose.work];
      return purpose.stored ? making.add_stored(purpose.part, view) : making.add_finer(purpose.part, view);
    }));
    VARVE_TRY(const auto read_slots, reader_.read(slots, {}));
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const auto& [w, elsewhere] = owners[i];
      VARVE_CHECK_OK(elsewhere != nullptr ? makings[w].exclude(*elsewhere, read_slots[i])
                                          : makings[w].add_slots(read_slots[i]));
    }
    return {};
  };
  if (const Status status = read_all(); !status) {
    if (status.error().code != Code::corrupt) return fail(status.error());
    if (works.size() == 1) {
      list[0].status = status;
      return list;
    }
    for (std::size_t w = 0; w < works.size(); ++w) {  // one of them: each by itself
      VARVE_TRY(auto one, make(level, works.subspan(w, 1)));
      list[w] = std::move(one[0]);
    }
    return list;
  }
  std::vector<RowWrite> rows;
  for (std::size_t w = 0; w < works.size(); ++w) makings[w].finish(read_us, rows, list[w]);
  VARVE_CHECK_OK(rows_.write_now(std::move(rows)));
  return list;
}

}  // namespace varve::engine::cassandra
