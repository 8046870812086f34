// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/gather.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/check.h"
#include "engine/shared/cells.h"
#include "rollup/columns.h"

namespace varve::engine::shared {
namespace {

using model::RowKind;
using model::RowView;

constexpr std::int64_t kExactMax = std::int64_t{1} << 53;
constexpr std::int64_t kIntPowerOfTen[] = {
    1,         10,         100,         1000,         10000,         100000,         1000000,         10000000,
    100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000};

// The wanted columns of a row into a table with one row a column, `stride` cells long.
template <class T>
void scatter(const std::byte* from, std::span<const std::uint16_t> only, std::size_t columns, std::int64_t* to,
             std::size_t stride, std::int64_t scale) {
  if (only.empty()) {
    for (std::size_t c = 0; c < columns; ++c) to[c * stride] = std::int64_t{load_le<T>(from + c * sizeof(T))} * scale;
  } else {
    for (std::size_t c = 0; c < columns; ++c) {
      to[c * stride] = std::int64_t{load_le<T>(from + only[c] * sizeof(T))} * scale;
    }
  }
}

void scatter_row(RowView row, std::span<const std::uint16_t> only, std::size_t columns, std::int64_t* to,
                 std::size_t stride, std::int64_t scale) {
  switch (row.width()) {
    case 1: return scatter<std::int8_t>(row.values(), only, columns, to, stride, scale);
    case 2: return scatter<std::int16_t>(row.values(), only, columns, to, stride, scale);
    case 4: return scatter<std::int32_t>(row.values(), only, columns, to, stride, scale);
    default: return scatter<std::int64_t>(row.values(), only, columns, to, stride, scale);
  }
}

// Largest magnitude that the row's width can hold; for 8 bytes, the one that is there.
std::int64_t magnitude(RowView row) {
  if (row.width() < 8) return std::int64_t{1} << (row.width() * 8 - 1);
  std::int64_t most = 0;
  for (unsigned i = 0; i < row.count(); ++i) {
    const auto v = load_le<std::int64_t>(row.values() + i * 8);
    if (v <= -kExactMax || v >= kExactMax) return kExactMax;
    most = std::max(most, std::abs(v));
  }
  return most;
}

}  // namespace

void Gather::clear(std::span<const std::uint16_t> only, model::TimeRange range) {
  rows_.clear();
  chunks_used_ = 0;
  chunks_listed_ = 0;
  packed_rows_ = marker_rows_ = 0;
  only_ = only;
  range_ = range;
  width_ = 0;
}

void Gather::add_rows(std::span<const std::byte> rows, RowForm form) {
  if (!rows.empty()) list_chunks();
  for_each_row(rows, form, [this](RowView row, std::uint32_t) {
    constexpr std::ptrdiff_t kAhead = 512;  // rows of a head come from memory
    __builtin_prefetch(row.at + kAhead);
    if (!range_.contains(row.time())) return;
    rows_.push_back({row.time(), row.at, 0, 0});
    ++packed_rows_;
    marker_rows_ += row.kind() == RowKind::stale_marker ? 1 : 0;
    width_ = only_.empty() ? row.count() : only_.size();
  });
}

Status Gather::add_chunk(const chunk::Block& block, std::size_t i, std::size_t first_column) {
  if (chunks_used_ == chunks_.size()) chunks_.emplace_back();
  Chunk& chunk = chunks_[chunks_used_];
  VARVE_ASSIGN_OR_RETURN(const chunk::Rows in_range, block.times(i, range_, chunk.times));
  if (in_range.count == 0) return {};
  const std::size_t width = only_.empty() ? block.columns(i) : only_.size();
  width_ = std::max(width_, width);
  chunk.columns.resize(width);
  for (std::size_t c = 0; c < width; ++c)
    VARVE_RETURN_IF_ERROR(block.column(i, source_column(c) - first_column, in_range, chunk.columns[c]));
  ++chunks_used_;
  return {};
}

// Adds the rows of chunks that are not listed yet, one by one.
void Gather::list_chunks() {
  for (; chunks_listed_ < chunks_used_; ++chunks_listed_) {
    const auto& times = chunks_[chunks_listed_].times;
    const auto number = static_cast<std::uint32_t>(chunks_listed_);
    for (std::uint32_t r = 0; r < times.size(); ++r) rows_.push_back({times[r], nullptr, number, r});
  }
}

std::uint64_t Gather::cells_gathered(std::size_t column) const {
  check(column < width_ || empty(), "cells of a column that was gathered");
  std::uint64_t cells = packed_rows_ - marker_rows_;
  for (std::size_t i = 0; i < chunks_used_; ++i) {
    const auto& part = chunks_[i].columns[column];
    cells += chunks_[i].times.size();
    if (part.uniform) continue;
    cells -= static_cast<std::uint64_t>(
        std::ranges::count_if(part.types, [](model::ValueType type) { return !has_value(type); }));
  }
  return cells;
}

// What was added ascends for long, mostly, so it is merged. Of equal times the one added later comes later.
void Gather::sort() {
  constexpr std::size_t kRowsOfPart = 8;  // where parts are shorter, sorting is faster
  const auto by_time = [](const Source& a, const Source& b) { return a.time < b.time; };
  parts_.assign(1, 0);
  bool any_equal = false;
  for (std::size_t r = 1; r < rows_.size(); ++r) {
    if (rows_[r].time < rows_[r - 1].time) parts_.push_back(r);
    any_equal = any_equal || rows_[r].time == rows_[r - 1].time;
  }
  if (parts_.size() == 1 && !any_equal) return;
  if (parts_.size() * kRowsOfPart > rows_.size()) {
    std::stable_sort(rows_.begin(), rows_.end(), by_time);
    parts_.resize(1);
  }
  const auto row = [this](std::size_t at) { return rows_.begin() + static_cast<std::ptrdiff_t>(at); };
  while (parts_.size() > 1) {
    std::size_t merged = 0;
    for (std::size_t p = 0; p < parts_.size(); p += 2) {
      if (p + 1 < parts_.size()) {
        const std::size_t end = p + 2 < parts_.size() ? parts_[p + 2] : rows_.size();
        std::inplace_merge(row(parts_[p]), row(parts_[p + 1]), row(end), by_time);
      }
      parts_[merged++] = parts_[p];
    }
    parts_.resize(merged);
  }
  // Of equal times the last one stays.
  std::size_t kept = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (r + 1 < rows_.size() && rows_[r + 1].time == rows_[r].time) continue;
    rows_[kept++] = rows_[r];
  }
  rows_.resize(kept);
}

bool Gather::packed(RowKind& kind, unsigned& decimals) const {
  bool first = true;
  decimals = 0;
  for (const Source& source : rows_) {
    if (source.row == nullptr) return false;
    const RowView row{source.row};
    if (row.kind() != RowKind::long_ && row.kind() != RowKind::decimal) return false;
    if (!first && row.kind() != kind) return false;
    kind = row.kind();
    decimals = std::max(decimals, row.decimals());
    first = false;
  }
  if (kind == RowKind::long_) return true;
  for (const Source& source : rows_) {
    const RowView row{source.row};
    if (row.decimals() != decimals && magnitude(row) > kExactMax / kIntPowerOfTen[decimals - row.decimals()])
      return false;
  }
  return decimals <= model::kRowDecimalsMax;
}

// Chunks of one group have the same columns, but for windows. Those of a series that was a delta counter once and a
// gauge at another time: those without extremes get them as NaN. And those of texts: where no window has a histogram
// the columns about them have no values.
void Gather::widen() {
  constexpr std::size_t kSum = 2;  // or the last text (rollup/columns.h)
  for (std::size_t i = 0; i < chunks_used_; ++i) {
    Chunk& chunk = chunks_[i];
    if (chunk.columns.size() == width_) continue;
    const chunk::DecodedColumn* const sums = chunk.columns.size() > kSum ? &chunk.columns[kSum] : nullptr;
    const bool numbers = sums == nullptr || (sums->uniform && model::is_number(sums->type));
    for (std::size_t c = chunk.columns.size(); c < width_; ++c) {
      auto& column = chunk.columns.emplace_back();
      column.uniform = true;
      const bool extremes = numbers && c < rollup::kCountersFrom;
      column.type = extremes ? model::ValueType::double_ : chunk::kErased;
      column.bits.assign(chunk.times.size(), extremes ? std::bit_cast<std::uint64_t>(rollup::kUnknown) : 0);
    }
  }
}

void Gather::finish(std::span<const Patch> patches) {
  widen();
  if (rows_.empty()) {
    merge_chunks();
  } else {
    list_chunks();
    sort();
    times_.resize(rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) times_[r] = rows_[r].time;
  }
  columns_.assign(width_, {});
  RowKind kind{};
  unsigned decimals = 0;
  if (patches.empty() && !rows_.empty() && packed(kind, decimals)) {
    finish_packed(kind, decimals);
  } else {
    finish_typed(patches);
  }
}

void Gather::finish_packed(RowKind kind, unsigned decimals) {
  const std::size_t n = rows_.size();
  ints_.resize(n * width_);
  for (std::size_t r = 0; r < n; ++r) {
    const RowView row{rows_[r].row};
    scatter_row(row, only_, width_, ints_.data() + r, n, kIntPowerOfTen[decimals - row.decimals()]);
  }
  for (std::size_t c = 0; c < width_; ++c) {
    columns_[c].form = kind == RowKind::long_ ? chunk::Column::Form::longs : chunk::Column::Form::decimals;
    columns_[c].decimals = decimals;
    columns_[c].ints = {ints_.data() + c * n, n};
  }
}

model::Value Gather::value_of(const Source& source, std::size_t column) const {
  if (source.row != nullptr) {
    return RowView{source.row}.value(static_cast<unsigned>(source_column(column)));
  }
  const auto& from = chunks_[source.chunk].columns[column];
  model::Value value;
  value.type = from.uniform ? from.type : from.types[source.index];
  if (model::in_text(value.type)) {
    value.text = from.texts[source.index];
  } else {
    value.bits = from.bits[source.index];
  }
  return value;
}

bool Gather::chunks_are(std::size_t column, model::ValueType type) const {
  for (std::size_t i = 0; i < chunks_used_; ++i) {
    const auto& part = chunks_[i].columns[column];
    if (!part.uniform || part.type != type) return false;
  }
  return true;
}

// What merging does all day: chunks of numbers of one type, put together without looking at each value's type.
bool Gather::finish_numbers(std::size_t column) {
  const std::size_t n = times_.size();
  const bool longs = chunks_are(column, model::ValueType::long_);
  if (!longs && !chunks_are(column, model::ValueType::double_)) return false;
  std::uint64_t* const to = bits_.data() + column * n;
  for (const Stretch& part : stretches_) {
    const std::uint64_t* const from = chunks_[part.chunk].columns[column].bits.data() + part.index;
    if (part.count == 1) {  // what came late: a call of memmove would take longer
      to[part.row] = *from;
    } else {
      std::copy_n(from, part.count, to + part.row);
    }
  }
  if (numbers_.size() < n) numbers_.assign(n, model::ValueType::double_);
  auto& out = columns_[column];
  if (longs) {
    out.form = chunk::Column::Form::longs;
    out.ints = {reinterpret_cast<const std::int64_t*>(to), n};
  } else {
    out.form = chunk::Column::Form::typed;
    out.types = {numbers_.data(), n};
    out.bits = {to, n};
  }
  return true;
}

void Gather::finish_typed(std::span<const Patch> patches) {
  const std::size_t n = times_.size();
  bits_.resize(n * width_);
  const bool by_stretches = patches.empty() && rows_.empty();
  std::vector<std::size_t> rest;
  for (std::size_t c = 0; c < width_; ++c) {
    if (!by_stretches || !finish_numbers(c)) rest.push_back(c);
  }
  if (rest.empty()) return;
  if (rows_.empty()) {
    for (const Stretch& part : stretches_) {
      for (std::uint32_t i = 0; i < part.count; ++i) {
        rows_.push_back({times_[part.row + i], nullptr, part.chunk, part.index + i});
      }
    }
  }
  types_.resize(n * width_);
  texts_.resize(n * width_);
  for (const std::size_t c : rest) finish_cells(c, patches);
}

void Gather::finish_cells(std::size_t c, std::span<const Patch> patches) {
  const std::size_t n = rows_.size();
  for (std::size_t r = 0; r < n; ++r) {
    const model::Value value = value_of(rows_[r], c);
    types_[c * n + r] = value.type;
    bits_[c * n + r] = value.bits;
    texts_[c * n + r] = value.text;
  }
  for (const Patch& patch : patches) {
    if (patch.column != c) continue;
    const auto r =
        static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), patch.time) - times_.begin());
    types_[c * n + r] = patch.value.type;
    bits_[c * n + r] = patch.value.bits;
    texts_[c * n + r] = patch.value.text;
  }
  columns_[c].form = chunk::Column::Form::typed;
  columns_[c].types = {types_.data() + c * n, n};
  columns_[c].bits = {bits_.data() + c * n, n};
  columns_[c].texts = {texts_.data() + c * n, n};
}

}  // namespace varve::engine::shared
