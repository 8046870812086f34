// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/window_chunk.h"

#include <algorithm>
#include <bit>

#include "rollup/decimal_sums.h"

namespace varve::engine::shared {

using chunk::DecodedColumn;
using model::ValueType;
using rollup::Kind;

// --- There

void WindowChunk::start(Kind kind) {
  kind_ = kind;
  windows_.clear();
}

void WindowChunk::add(std::span<const rollup::Window> windows) { windows_.add(kind_, windows); }

chunk::Fragment WindowChunk::finish(model::GroupId group) {
  if (kind_ == Kind::gauge) rollup::round_sums(windows_.counts, windows_.mins, windows_.maxs, windows_.sums);
  const std::size_t n = windows_.starts.size();
  if (doubles_.size() < n) {
    doubles_.assign(n, ValueType::double_);
    no_bits_.assign(n, 0);
  }
  const auto longs = [](const std::vector<std::int64_t>& ints) {
    return chunk::Column{chunk::Column::Form::longs, 0, ints, {}, {}, {}};
  };
  const auto typed = [&](const std::vector<std::uint64_t>& bits) {
    return chunk::Column{chunk::Column::Form::typed, 0, {}, std::span(doubles_).first(n), bits, {}};
  };
  columns_ = {longs(windows_.counts), longs(windows_.offsets), {}, {}, {}};
  if (kind_ == Kind::text) {
    columns_[2] = {
        chunk::Column::Form::typed, 0, {}, windows_.last_types, std::span(no_bits_).first(n), windows_.lasts};
  } else {
    columns_[2] = typed(windows_.sums);
  }
  if (kind_ == Kind::gauge) {
    columns_[3] = typed(windows_.mins);
    columns_[4] = typed(windows_.maxs);
  }
  return {group, windows_.starts, std::span<const chunk::Column>(columns_).first(rollup::columns_of(kind_))};
}

// --- And back

namespace {

std::unexpected<Error> wrong_columns() { return fail(Code::corrupt, "a chunk of windows has the wrong columns"); }

bool is(const DecodedColumn& column, ValueType type) { return column.uniform && column.type == type; }

bool is_in_text(const DecodedColumn& column) {
  return column.uniform ? model::in_text(column.type)
                        : std::ranges::all_of(column.types, [](ValueType type) { return model::in_text(type); });
}

}  // namespace

Status check_window_columns(std::size_t count) {
  const bool known = count == rollup::columns_of(Kind::gauge) || count == rollup::columns_of(Kind::counter);
  return known ? Status{} : wrong_columns();
}

// What a rollup wrote is of one type, but for last values of windows.
DecodedColumn decoded(const chunk::Column& column) {
  DecodedColumn out;
  if (column.form == chunk::Column::Form::longs) {
    out.type = ValueType::long_;
    for (const std::int64_t v : column.ints) out.bits.push_back(static_cast<std::uint64_t>(v));
    return out;
  }
  out.type = column.types[0];
  if (model::in_text(out.type)) {
    out.uniform = std::ranges::all_of(column.types, [&](ValueType type) { return type == out.type; });
    if (!out.uniform) out.types.assign(column.types.begin(), column.types.end());
    out.texts.assign(column.texts.begin(), column.texts.end());
  } else {
    out.bits.assign(column.bits.begin(), column.bits.end());
  }
  return out;
}

Status to_windows(std::span<const model::Timestamp> starts, std::span<const DecodedColumn> columns,
                  rollup::Windows& out) {
  const bool numbers = columns.size() >= 3 && is(columns[2], ValueType::double_);
  const bool gauge = columns.size() == 5 && is(columns[3], ValueType::double_) && is(columns[4], ValueType::double_);
  const bool shaped = columns.size() >= 3 && is(columns[0], ValueType::long_) && is(columns[1], ValueType::long_) &&
                      (numbers ? gauge || columns.size() == 3 : columns.size() == 3 && is_in_text(columns[2]));
  if (!shaped) return wrong_columns();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    rollup::Window window;
    window.start = starts[i];
    window.count = columns[0].bits[i];
    window.first_time = window.last_time = window.start + static_cast<std::int64_t>(columns[1].bits[i]);
    if (numbers) window.sum = std::bit_cast<double>(columns[2].bits[i]);
    if (!numbers) {
      window.last = columns[2].texts[i];
      window.last_type = columns[2].uniform ? columns[2].type : columns[2].types[i];
    }
    if (numbers && !gauge) window.min = window.max = rollup::kUnknown;
    if (gauge) {
      window.min = std::bit_cast<double>(columns[3].bits[i]);
      window.max = std::bit_cast<double>(columns[4].bits[i]);
    }
    out.push_back(window);
  }
  return {};
}

Status to_windows(const Gather& gathered, rollup::Windows& out) {
  std::vector<DecodedColumn> columns;
  for (const chunk::Column& column : gathered.columns()) columns.push_back(decoded(column));
  return to_windows(gathered.times(), columns, out);
}

Status to_window_columns(std::span<const model::Timestamp> starts, std::span<const DecodedColumn> columns,
                         const storage::WindowFields& wanted, std::vector<std::uint64_t>& unknown,
                         storage::WindowColumns& out) {
  VARVE_CHECK_OK(check_window_columns(columns.size()));
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
