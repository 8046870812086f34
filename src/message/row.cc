// SPDX-License-Identifier: Apache-2.0
#include "message/row.h"

namespace varve::message {
namespace {

constexpr std::uint16_t kNanosMax = 999;

// Behind the length and the bytes that it tells, or nullptr.
const std::byte* skip_bytes(const std::byte* at, const std::byte* end) {
  std::uint64_t size = 0;
  at = codec::get_varint(at, end, size);
  if (at == nullptr || size > static_cast<std::uint64_t>(end - at)) return nullptr;
  return at + size;
}

// Behind the value of a cell, or nullptr.
const std::byte* skip_value(Column column, const std::byte* at, const std::byte* end) {
  std::uint64_t number = 0;
  switch (column) {
    case Column::level:
    case Column::kind:
    case Column::pid:
    case Column::sequence: return codec::get_varint(at, end, number);
    case Column::id: return static_cast<std::size_t>(end - at) < kIdBytes ? nullptr : at + kIdBytes;
    case Column::field: {
      at = skip_bytes(at, end);
      if (at == nullptr || at == end || static_cast<unsigned>(*at) > static_cast<unsigned>(kLastFieldForm))
        return nullptr;
      return skip_bytes(at + 1, end);
    }
    default: return column < Column::time ? skip_bytes(at, end) : nullptr;
  }
}

}  // namespace

std::optional<Cell> RowView::cell(Column column) const {
  CellReader cells = reader();
  for (Cell cell; cells.next(cell) && cell.column <= column;) {
    if (cell.column == column) return cell;
  }
  return std::nullopt;
}

std::size_t check_row(const std::byte* at, const std::byte* end) {
  if (static_cast<std::size_t>(end - at) < kRowHeadBytes) return 0;
  const RowView row{at};
  const std::size_t bytes = row.bytes();
  if (bytes < kRowHeadBytes || bytes > kRowBytesMax || bytes > static_cast<std::size_t>(end - at)) return 0;
  constexpr unsigned kKnownBits = RowView::kNanosBits | 0xfU << RowView::kRepeatShift;
  if (row.nanos() > kNanosMax || (load_le<std::uint16_t>(at + 6) & ~kKnownBits) != 0) return 0;
  const std::byte* const row_end = at + bytes;
  std::size_t cells = 0;
  int before = -1;
  for (at += kRowHeadBytes; at != row_end; ++cells) {
    const auto column = static_cast<Column>(*at);
    const int number = static_cast<int>(column);
    const bool repeats = column == Column::object || column == Column::field;
    if (number < before || (number == before && !repeats)) return 0;
    if (column == Column::id && row.repeat()) return 0;
    before = number;
    at = skip_value(column, at + 1, row_end);
    if (at == nullptr) return 0;
  }
  return cells == row.cells() ? bytes : 0;
}

}  // namespace varve::message
