// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/scan/window_reader.h"

#include <bit>

namespace varve::engine::rocksdb {
namespace {

using chunk::DecodedColumn;
using model::ValueType;

std::unexpected<Error> wrong_columns() { return fail(Code::corrupt, "a chunk of windows has the wrong columns"); }

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
  if (!shaped) return wrong_columns();
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

Status to_windows(const shared::Gather& gathered, rollup::Windows& out) {
  std::vector<DecodedColumn> columns;
  for (const chunk::Column& column : gathered.columns()) columns.push_back(decoded(column));
  return to_windows(gathered.times(), columns, out);
}

Status WindowReader::read(std::uint32_t group, rollup::Windows& out) {
  out.clear();
  VARVE_TRY(const bool found, load(group, {true, true, true, true, true}));
  if (!found) return {};
  VARVE_CHECK_OK(to_windows(starts_, columns_, out));
  std::erase_if(out, [](const rollup::Window& window) { return window.count == 0; });
  return {};
}

Status WindowReader::read(std::uint32_t group, const storage::WindowFields& fields, storage::WindowColumns& out) {
  out = out.part(0, 0);
  VARVE_TRY(const bool found, load(group, {true, fields.first_time, fields.sum, fields.min, fields.max}));
  if (!found) return {};
  bool good = true;
  const auto column = [&](std::size_t number, bool wanted, ValueType type) -> std::span<const std::uint64_t> {
    if (!wanted) return {};
    if (number >= columns_.size()) {
      unknown_.resize(starts_.size(), std::bit_cast<std::uint64_t>(rollup::kUnknown));
      return unknown_;
    }
    good = good && is(columns_[number], type);
    return columns_[number].bits;
  };
  out.starts = starts_;
  out.counts = column(0, true, ValueType::long_);
  out.offsets = column(1, fields.first_time, ValueType::long_);
  out.sums = column(2, fields.sum, ValueType::double_);
  out.mins = column(3, fields.min, ValueType::double_);
  out.maxs = column(4, fields.max, ValueType::double_);
  return good ? Status{} : wrong_columns();
}

Result<bool> WindowReader::load(std::uint32_t group, const Wanted& wanted) {
  gather_.clear();
  VARVE_TRY(const FoundChunks found, find_chunks(readers_, group, gather_));
  if (found.count == 0) return false;
  if (found.count == 1) {
    VARVE_CHECK_OK(load_starts(*found.block, found.at));
    columns_.resize(found.block->columns(found.at));
  } else {
    gather_.finish();
    starts_.assign(gather_.times().begin(), gather_.times().end());
    starts_block_ = nullptr;
    columns_.resize(gather_.columns().size());
  }
  if (columns_.size() != rollup::columns_of(rollup::Kind::gauge) &&
      columns_.size() != rollup::columns_of(rollup::Kind::counter)) {
    return wrong_columns();
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!wanted[c]) continue;
    if (found.count > 1) {
      columns_[c] = decoded(gather_.columns()[c]);
    } else {
      VARVE_CHECK_OK(found.block->column(found.at, c, columns_[c]));
    }
  }
  return true;
}

// Series that are written together have the same starts, mostly.
Status WindowReader::load_starts(const chunk::Block& block, std::size_t at) {
  if (starts_block_.get() == &block && starts_number_ == block.times_number(at)) return {};
  starts_block_ = nullptr;
  VARVE_CHECK_OK(block.times(at, starts_));
  starts_block_ = block.shared_from_this();
  starts_number_ = block.times_number(at);
  return {};
}

}  // namespace varve::engine::rocksdb
