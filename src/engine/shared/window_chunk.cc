// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/window_chunk.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "rollup/decimal_sums.h"

namespace varve::engine::shared {

using chunk::DecodedColumn;
using model::ValueType;
using rollup::Kind;

// --- There

void WindowChunk::start(Kind kind) {
  kind_ = kind;
  windows_.clear();
  counters_.clear();
}

void WindowChunk::add(std::span<const rollup::Window> windows) {
  windows_.add(kind_, windows);
  if (kind_ != Kind::text) counters_.add(windows);
}

void WindowChunk::add(const rollup::Columns& from, std::size_t first, std::size_t count,
                      std::span<const rollup::PackedCounter> counters) {
  check(counters.empty() || counters.size() == count, "a window has one part of a counter");
  windows_.add(from, first, count);
  if (counters.empty()) return counters_.add_none(count);
  counters_.add(counters);
}

namespace {

chunk::Column typed_column(std::span<const ValueType> types, std::span<const std::uint64_t> bits,
                           std::span<const std::string_view> texts = {}) {
  return {chunk::Column::Form::typed, 0, {}, types.first(bits.size()), bits, texts};
}

}  // namespace

// Returns how many columns there are with them.
std::size_t WindowChunk::add_counters(std::size_t first) {
  const std::size_t n = windows_.starts.size();
  const auto longs = [&](std::size_t column) {
    // Signed and unsigned of one width may stand for each other.
    const auto* const ints = reinterpret_cast<const std::int64_t*>(counters_.bits[column].data());
    return chunk::Column{chunk::Column::Form::longs, 0, {ints, n}, {}, {}, {}};
  };
  for (std::size_t column = 0; column < rollup::kCounterColumns; ++column) {
    columns_[first + column] = rollup::is_long(column) || counters_.all_whole()
                                   ? longs(column)
                                   : typed_column(counters_.types, counters_.bits[column]);
  }
  if (!counters_.has_irregular()) return first + rollup::kCounterColumns;
  if (strings_.size() < n) strings_.assign(n, ValueType::string);
  columns_[first + rollup::kCounterColumns] = typed_column(strings_, std::span(no_bits_).first(n), counters_.irregular);
  return first + rollup::kCounterColumnsMax;
}

chunk::Fragment WindowChunk::finish(model::GroupId group) {
  if (kind_ == Kind::gauge) rollup::round_sums(windows_.counts, windows_.mins, windows_.maxs, windows_.sums);
  const std::size_t n = windows_.starts.size();
  check(n > 0, "a chunk has windows");
  if (doubles_.size() < n) {
    doubles_.assign(n, ValueType::double_);
    no_bits_.assign(n, 0);
  }
  const auto longs = [](const std::vector<std::int64_t>& ints) {
    return chunk::Column{chunk::Column::Form::longs, 0, ints, {}, {}, {}};
  };
  const auto typed = [&](const std::vector<std::uint64_t>& bits) { return typed_column(doubles_, bits); };
  const auto texts = [&](std::span<const ValueType> types, const std::vector<std::string_view>& values) {
    return typed_column(types, std::span(no_bits_).first(n), values);
  };
  columns_[0] = longs(windows_.counts);
  columns_[1] = longs(windows_.offsets);
  std::size_t count = rollup::columns_of(kind_);
  if (kind_ == Kind::text) {
    columns_[2] = texts(windows_.last_types, windows_.lasts);
    if (windows_.has_histograms) {
      if (histograms_.size() < n) histograms_.assign(n, ValueType::histogram);
      columns_[3] = longs(windows_.histograms);
      columns_[4] = longs(windows_.histogram_offsets);
      columns_[5] = texts(std::span(histograms_).first(n), windows_.merged);
      count = rollup::kColumnsWithHistograms;
    }
  } else {
    columns_[2] = typed(windows_.sums);
  }
  if (counters_.has_any()) windows_.fill_extremes();
  if (kind_ == Kind::gauge || counters_.has_any()) {
    columns_[3] = typed(windows_.mins);
    columns_[4] = typed(windows_.maxs);
  }
  if (counters_.has_any()) count = add_counters(rollup::kCountersFrom);
  return {group, windows_.starts, std::span<const chunk::Column>(columns_).first(count)};
}

// --- And back

namespace {

std::unexpected<Error> wrong_columns() { return fail(Code::corrupt, "a chunk of windows has the wrong columns"); }

bool is(const DecodedColumn& column, ValueType type) { return column.uniform && column.type == type; }

bool is_in_text(const DecodedColumn& column) {
  return column.uniform ? model::in_text(column.type)
                        : std::ranges::all_of(column.types, [](ValueType type) { return model::in_text(type); });
}

// Of this type, or without a value: the chunk had no such column before runs were merged.
bool is_or_none(const DecodedColumn& column, ValueType type) {
  const auto good = [type](ValueType one) { return one == type || one == chunk::kErased; };
  return column.uniform ? good(column.type) : std::ranges::all_of(column.types, good);
}

bool has_value(const DecodedColumn& column, std::size_t i) {
  return (column.uniform ? column.type : column.types[i]) != chunk::kErased;
}

bool has_histograms(std::span<const DecodedColumn> columns) { return columns.size() == rollup::kColumnsWithHistograms; }

bool are_of_histograms(std::span<const DecodedColumn> columns) {
  return is_or_none(columns[3], ValueType::long_) && is_or_none(columns[4], ValueType::long_) &&
         is_or_none(columns[5], ValueType::histogram);
}

// Of window i, but for its count. The chunk has histograms.
WindowHistograms histograms_at(std::span<const DecodedColumn> columns, model::Timestamp start, std::size_t i) {
  WindowHistograms out;
  out.start = start;
  if (!has_value(columns[3], i) || !has_value(columns[4], i) || !has_value(columns[5], i)) return out;
  const auto count = static_cast<std::int64_t>(columns[3].bits[i]);
  out.exact = count >= 0;
  out.histograms = out.exact ? columns[3].bits[i] : -columns[3].bits[i];
  out.first = start + static_cast<std::int64_t>(columns[4].bits[i]);
  out.merged = columns[5].texts[i];
  return out;
}

bool is_value(ValueType type) {
  return type == ValueType::long_ || type == ValueType::double_ || type == chunk::kErased;
}
bool is_value(const DecodedColumn& column) {
  return column.uniform ? is_value(column.type)
                        : std::ranges::all_of(column.types, [](ValueType type) { return is_value(type); });
}

constexpr auto kAllCounterColumns = [] {
  std::array<std::size_t, rollup::kCounterColumns> all{};
  for (std::size_t column = 0; column < all.size(); ++column) all[column] = column;
  return all;
}();

// Are these columns, and what is irregular, of such types?
template <class Columns>
bool are_of_counters(std::span<const DecodedColumn> columns, const Columns& which) {
  const auto counters = columns.subspan(rollup::kCountersFrom);
  const auto good = [&](std::size_t column) {
    return rollup::is_long(column) ? is_or_none(counters[column], ValueType::long_) : is_value(counters[column]);
  };
  return std::ranges::all_of(which, good) &&
         (counters.size() == rollup::kCounterColumns || is_or_none(counters.back(), ValueType::string));
}

// Has window i such a part? The columns are those of counters.
bool has_counter(std::span<const DecodedColumn> columns, std::size_t i) {
  const DecodedColumn& rule = columns[rollup::kCountersFrom + rollup::CounterColumns::rule];
  return has_value(rule, i) && rule.bits[i] != 0;
}

// Of window i, which has such a part: the cells of these columns.
template <class Columns>
rollup::CounterCells counter_cells(std::span<const DecodedColumn> columns, const Columns& which, model::Timestamp start,
                                   std::size_t i) {
  const auto counters = columns.subspan(rollup::kCountersFrom);
  rollup::CounterCells cells;
  cells.start = start;
  cells.first_time = start + static_cast<std::int64_t>(columns[1].bits[i]);
  const DecodedColumn& first = counters[rollup::CounterColumns::first];
  cells.type = first.uniform ? first.type : first.types[i];
  for (const auto column : which) cells.values[column] = counters[column].bits[i];
  const bool irregular = counters.size() > rollup::kCounterColumns && has_value(counters.back(), i);
  if (irregular) cells.irregular = counters.back().texts[i];
  return cells;
}

}  // namespace

Status check_window_columns(std::size_t count) {
  const bool known = count == rollup::columns_of(Kind::gauge) || count == rollup::columns_of(Kind::counter) ||
                     count == rollup::kColumnsWithHistograms || rollup::has_counters(count);
  return known ? Status{} : wrong_columns();
}

// What a rollup wrote is of one type, but for last values of windows, and where some chunks had more columns.
DecodedColumn decoded(const chunk::Column& column) {
  DecodedColumn out;
  if (column.form == chunk::Column::Form::longs) {
    out.type = ValueType::long_;
    for (const std::int64_t v : column.ints) out.bits.push_back(static_cast<std::uint64_t>(v));
    return out;
  }
  out.type = column.types[0];
  if (!column.texts.empty()) {  // else they are doubles
    out.uniform = std::ranges::all_of(column.types, [&](ValueType type) { return type == out.type; });
    if (!out.uniform) out.types.assign(column.types.begin(), column.types.end());
    out.texts.assign(column.texts.begin(), column.texts.end());
  }
  out.bits.assign(column.bits.begin(), column.bits.end());
  return out;
}

Status to_windows(std::span<const model::Timestamp> starts, std::span<const DecodedColumn> columns,
                  rollup::Windows& out, rollup::PartPool& texts) {
  const bool numbers = columns.size() >= 3 && is(columns[2], ValueType::double_);
  const bool gauge =
      rollup::has_extremes(columns.size()) && is(columns[3], ValueType::double_) && is(columns[4], ValueType::double_);
  const bool histograms = !numbers && has_histograms(columns) && are_of_histograms(columns);
  const bool shaped =
      columns.size() >= 3 && is(columns[0], ValueType::long_) && is(columns[1], ValueType::long_) &&
      (numbers ? gauge || columns.size() == 3 : (columns.size() == 3 || histograms) && is_in_text(columns[2]));
  if (!shaped || (rollup::has_counters(columns.size()) && !are_of_counters(columns, kAllCounterColumns)))
    return wrong_columns();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    rollup::Window window;
    window.start = starts[i];
    window.count = columns[0].bits[i];
    window.first_time = window.last_time = window.start + static_cast<std::int64_t>(columns[1].bits[i]);
    if (numbers) {
      window.sum = std::bit_cast<double>(columns[2].bits[i]);
      window.min = gauge ? std::bit_cast<double>(columns[3].bits[i]) : rollup::kUnknown;
      window.max = gauge ? std::bit_cast<double>(columns[4].bits[i]) : rollup::kUnknown;
      if (rollup::has_counters(columns.size()) && window.count != 0 && has_counter(columns, i)) {
        VARVE_ASSIGN_OR_RETURN(const auto part,
                               counter_part(counter_cells(columns, kAllCounterColumns, window.start, i)));
        window.counter = texts.add(part);
      }
    } else {
      rollup::TextPart part;
      part.last = columns[2].texts[i];
      part.last_type = columns[2].uniform ? columns[2].type : columns[2].types[i];
      if (histograms) {
        const WindowHistograms of_window = histograms_at(columns, window.start, i);
        part.exact = of_window.exact;
        part.histograms = of_window.histograms;
        part.first_histogram = of_window.first;
        part.merged = of_window.merged;
      }
      window.text = texts.add(part);
    }
    out.push_back(window);
  }
  return {};
}

Status to_windows(const Gather& gathered, rollup::Windows& out, rollup::PartPool& texts) {
  std::vector<DecodedColumn> columns;
  for (const chunk::Column& column : gathered.columns()) columns.push_back(decoded(column));
  return to_windows(gathered.times(), columns, out, texts);
}

Status to_histograms(std::span<const model::Timestamp> starts, std::span<const DecodedColumn> columns,
                     std::vector<WindowHistograms>& out) {
  out.clear();
  const bool histograms = has_histograms(columns);
  const bool shaped = (histograms ? are_of_histograms(columns) : columns.size() == rollup::columns_of(Kind::text)) &&
                      is(columns[0], ValueType::long_);
  if (!shaped) return wrong_columns();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    WindowHistograms& one = out.emplace_back();
    if (histograms) one = histograms_at(columns, starts[i], i);
    one.start = starts[i];
    one.count = columns[0].bits[i];
  }
  return {};
}

bool is_of_counters(std::size_t column, bool summaries) {
  if (column < rollup::kCountersFrom) return column < 2;
  const std::size_t of_counter = column - rollup::kCountersFrom;
  return summaries || of_counter >= rollup::kCounterColumns ||
         std::ranges::any_of(rollup::kStretchColumns, [&](std::size_t one) { return one == of_counter; });
}

namespace {

Status read_stretches(std::span<const model::Timestamp> starts, std::span<const DecodedColumn> columns,
                      std::vector<rollup::CounterStretch>& out) {
  using rollup::CounterColumns;
  const auto of = columns.subspan(rollup::kCountersFrom);
  const DecodedColumn& first = of[CounterColumns::first];
  // Where a cell has no value, its bits are 0 and its text is empty.
  return rollup::counter_stretches(
      {starts, columns[1].bits, of[CounterColumns::rule].bits, first.bits, of[CounterColumns::last_offset].bits,
       of[CounterColumns::last].bits, first.type, first.uniform ? std::span<const ValueType>() : first.types,
       of.size() > rollup::kCounterColumns ? of.back().texts : std::span<const std::string_view>()},
      out);
}

Status read_summaries(std::span<const model::Timestamp> starts, std::span<const DecodedColumn> columns,
                      CounterRoom& room) {
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!has_counter(columns, i)) continue;
    VARVE_ASSIGN_OR_RETURN(const auto part, counter_part(counter_cells(columns, kAllCounterColumns, starts[i], i)));
    room.stretches[i] = {stretch_of(part.summary), true, part.exact};
    room.summaries[i] = part.summary;
  }
  return {};
}

}  // namespace

Status to_counters(std::span<const model::Timestamp> starts, std::span<const DecodedColumn> columns, bool summaries,
                   CounterRoom& room, WindowCounters& out) {
  const bool counters = rollup::has_counters(columns.size());
  const auto are_good = [&] {
    return summaries ? are_of_counters(columns, kAllCounterColumns) : are_of_counters(columns, rollup::kStretchColumns);
  };
  const bool shaped = is(columns[0], ValueType::long_) && is(columns[1], ValueType::long_) &&
                      !has_histograms(columns) && (!counters || are_good());
  if (!shaped) return wrong_columns();
  room.stretches.assign(counters && !summaries ? 0 : starts.size(), {});
  room.summaries.assign(summaries ? starts.size() : 0, {});
  if (counters) {
    VARVE_RETURN_IF_ERROR(summaries ? read_summaries(starts, columns, room)
                                    : read_stretches(starts, columns, room.stretches));
  }
  out = {starts, columns[0].bits, room.stretches, room.summaries};
  return {};
}

Status to_window_columns(std::span<const model::Timestamp> starts, std::span<const DecodedColumn> columns,
                         const storage::WindowFields& wanted, std::vector<std::uint64_t>& unknown,
                         storage::WindowColumns& out) {
  VARVE_RETURN_IF_ERROR(check_window_columns(columns.size()));
  if (has_histograms(columns)) return wrong_columns();
  bool good = true;
  const auto column = [&](std::size_t number, bool is_wanted, ValueType type) -> std::span<const std::uint64_t> {
    if (!is_wanted) return {};
    if (number >= columns.size()) {
      unknown.resize(starts.size(), std::bit_cast<std::uint64_t>(rollup::kUnknown));
      return unknown;
    }
    good = good && is(columns[number], type);
    return columns[number].bits;
  };
  out.starts = starts;
  out.counts = column(0, true, ValueType::long_);
  out.offsets = column(1, wanted.first_time, ValueType::long_);
  out.sums = column(2, wanted.sum, ValueType::double_);
  out.mins = column(3, wanted.min, ValueType::double_);
  out.maxs = column(4, wanted.max, ValueType::double_);
  return good ? Status{} : wrong_columns();
}

}  // namespace varve::engine::shared
