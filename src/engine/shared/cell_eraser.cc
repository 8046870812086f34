// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/cell_eraser.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "engine/shared/cells.h"
#include "model/row.h"

namespace varve::engine::shared {
namespace {

using Form = chunk::Column::Form;

// A value, or a marker.
bool is_there(const chunk::Column& column, std::size_t row) {
  return column.form != Form::typed || column.types[row] != chunk::kErased;
}

}  // namespace

void CellEraser::erase_cells(std::span<const model::Timestamp> times, std::span<const chunk::Column> columns,
                             std::span<const std::uint16_t> erased, model::TimeRange range) {
  check(std::ranges::is_sorted(erased), "erased columns ascend");
  kept_.clear();
  erased_ = 0;
  for (std::uint32_t r = 0; r < times.size(); ++r) {
    bool stays = !range.contains(times[r]);
    if (!stays) {
      std::size_t next = 0;  // of `erased`
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const bool goes = next < erased.size() && erased[next] == c;
        if (goes) ++next;
        if (!is_there(columns[c], r)) continue;
        stays = stays || !goes;
        if (goes && has_value(columns[c], r)) ++erased_;
      }
    }
    if (stays) kept_.push_back(r);
  }
  copy(times, columns, erased, range);
}

void CellEraser::copy(std::span<const model::Timestamp> times, std::span<const chunk::Column> columns,
                      std::span<const std::uint16_t> erased, model::TimeRange range) {
  times_.clear();
  for (const std::uint32_t r : kept_) times_.push_back(times[r]);
  const bool gaps = std::ranges::any_of(times_, [&](model::Timestamp t) { return range.contains(t); });
  columns_.assign(columns.size(), {});
  if (cells_.size() < columns.size()) cells_.resize(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const chunk::Column& from = columns[c];
    Cells& to = cells_[c];
    const bool gapped = gaps && std::ranges::binary_search(erased, static_cast<std::uint16_t>(c));
    if (from.form != Form::typed && !gapped) {
      to.ints.clear();
      for (const std::uint32_t r : kept_) to.ints.push_back(from.ints[r]);
      columns_[c] = {from.form, from.decimals, to.ints, {}, {}, {}};
      continue;
    }
    copy_typed(from, to);
    for (std::size_t i = 0; gapped && i < times_.size(); ++i) {
      if (!range.contains(times_[i])) continue;
      to.types[i] = chunk::kErased;
      to.bits[i] = 0;
    }
    columns_[c] = {Form::typed, 0, {}, to.types, to.bits, to.texts};
  }
}

void CellEraser::copy_typed(const chunk::Column& from, Cells& to) const {
  to.types.clear();
  to.bits.clear();
  to.texts.clear();
  for (const std::uint32_t r : kept_) {
    if (from.form == Form::typed) {
      to.types.push_back(from.types[r]);
      to.bits.push_back(from.bits[r]);
      if (!from.texts.empty()) to.texts.push_back(from.texts[r]);
    } else if (from.form == Form::longs) {
      to.types.push_back(model::ValueType::long_);
      to.bits.push_back(static_cast<std::uint64_t>(from.ints[r]));
    } else {
      to.types.push_back(model::ValueType::double_);
      to.bits.push_back(
          std::bit_cast<std::uint64_t>(static_cast<double>(from.ints[r]) / model::kPowerOfTen[from.decimals]));
    }
  }
}

}  // namespace varve::engine::shared
