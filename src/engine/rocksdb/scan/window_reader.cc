// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/scan/window_reader.h"

#include <bit>

#include "rollup/columns.h"

namespace varve::engine::rocksdb {
namespace {

using chunk::DecodedColumn;
using model::ValueType;

bool is(const DecodedColumn& column, ValueType type) { return column.uniform && column.type == type; }

// A gathered column; what a rollup wrote is of one type.
DecodedColumn decoded(const chunk::Column& column) {
  DecodedColumn out;
  out.uniform = true;
  if (column.form == chunk::Column::Form::longs) {
    out.type = ValueType::long_;
    for (const std::int64_t v : column.ints) out.bits.push_back(static_cast<std::uint64_t>(v));
    return out;
  }
  out.type = column.types[0];
  if (out.type == ValueType::string) {
    out.texts.assign(column.texts.begin(), column.texts.end());
  } else {
    out.bits.assign(column.bits.begin(), column.bits.end());
  }
  return out;
}

}  // namespace

Status to_windows(std::span<const model::Timestamp> starts, std::span<const DecodedColumn> columns,
                  rollup::Windows& out) {
  const bool numbers = columns.size() >= 3 && is(columns[2], ValueType::double_);
  const bool gauge = columns.size() == 5 && is(columns[3], ValueType::double_) && is(columns[4], ValueType::double_);
  const bool shaped =
      columns.size() >= 3 && is(columns[0], ValueType::long_) && is(columns[1], ValueType::long_) &&
      (numbers ? gauge || columns.size() == 3 : columns.size() == 3 && is(columns[2], ValueType::string));
  if (!shaped) return fail(Code::corrupt, "a chunk of windows has the wrong columns");
  for (std::size_t i = 0; i < starts.size(); ++i) {
    rollup::Window window;
    window.start = starts[i];
    window.count = columns[0].bits[i];
    window.first_time = window.last_time = window.start + static_cast<std::int64_t>(columns[1].bits[i]);
    if (numbers) window.sum = std::bit_cast<double>(columns[2].bits[i]);
    if (!numbers) window.last = columns[2].texts[i];
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

Status WindowReader::read(std::uint32_t group, rollup::Windows& out) {
  out.clear();
  VARVE_CHECK_OK(read_all(group, out));
  std::erase_if(out, [](const rollup::Window& window) { return window.count == 0; });
  return {};
}

Status WindowReader::read_all(std::uint32_t group, rollup::Windows& out) {
  gather_.clear();
  VARVE_TRY(const FoundChunks found, find_chunks(readers_, group, gather_));
  if (found.count == 0) return {};
  if (found.count > 1) {
    gather_.finish();
    return to_windows(gather_, out);
  }
  VARVE_CHECK_OK(found.block->times(found.at, times_));
  columns_.resize(found.block->columns(found.at));
  for (std::size_t c = 0; c < columns_.size(); ++c) VARVE_CHECK_OK(found.block->column(found.at, c, columns_[c]));
  return to_windows(times_, columns_, out);
}

}  // namespace varve::engine::rocksdb
