// SPDX-License-Identifier: Apache-2.0
// RowView: a message as packed bytes; docs/formats/message-row.md. Cells are read one after the other, and not copied.
//
//   row  := bytes:u32 cells:u16 nanos:u16 time:i64 arrival:u64 cell*      (little endian, 24 bytes before the cells)
//           the upper 4 bits of nanos: 0, or 1 + the repeat of an id that is computed
//   cell := column:u8 value                                               (columns ascend)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include "base/bytes.h"
#include "base/check.h"
#include "codec/varint.h"
#include "message/column.h"

namespace varve::message {

inline constexpr std::size_t kRowHeadBytes = 24;
inline constexpr std::size_t kRowBytesMax = std::size_t{1} << 26;
inline constexpr std::size_t kIdBytes = 16;

// Of equal messages in one request each has an id of its own: a *repeat* is how many came before. Ids of later ones are
// stored as if the sender had given them.
inline constexpr std::uint32_t kRepeatMax = 14;

// Of a free field. Stored: DO NOT CHANGE THE NUMBERS. metadata: a text that a push gave beside its labels.
enum class FieldForm : std::uint8_t { text = 0, number = 1, json = 2, metadata = 3 };
inline constexpr FieldForm kLastFieldForm = FieldForm::metadata;

struct Cell {
  Column column{};
  FieldForm form{};         // of a field
  std::int64_t number = 0;  // of integer columns
  std::string_view name;    // of a field
  std::string_view text;    // of all other columns; of an id its 16 bytes
};

// Reads the cells of a well-formed row (check_row).
class CellReader {
 public:
  CellReader(const std::byte* at, const std::byte* end) : at_(at), end_(end) {}
  // False: there is none left.
  bool next(Cell& cell);
  // The bytes of the cell that next() would read begin here.
  [[nodiscard]] const std::byte* at() const { return at_; }

 private:
  std::uint64_t varint(const char* what) {
    std::uint64_t v = 0;
    if (at_ != end_ && static_cast<std::uint8_t>(*at_) < 0x80) [[likely]] {
      return static_cast<std::uint64_t>(*at_++);
    }
    at_ = codec::get_varint(at_, end_, v);
    check(at_ != nullptr, what);
    return v;
  }
  std::string_view bytes() {
    const std::uint64_t size = varint("a cell lies in its row");
    check(size <= static_cast<std::uint64_t>(end_ - at_), "a cell lies in its row");
    const std::string_view out(reinterpret_cast<const char*>(at_), size);
    at_ += size;
    return out;
  }
  const std::byte* at_;
  const std::byte* end_;
};

// Here, because every step from a request to a block does little else for each cell.
inline bool CellReader::next(Cell& cell) {
  if (at_ == end_) return false;
  cell.column = static_cast<Column>(*at_++);
  if (is_integer(cell.column)) {
    cell.number = codec::unzigzag(varint("a number lies in its row"));
    return true;
  }
  if (cell.column == Column::id) {
    cell.text = {reinterpret_cast<const char*>(at_), kIdBytes};
    at_ += kIdBytes;
    return true;
  }
  if (cell.column == Column::field) {
    cell.name = bytes();
    cell.form = static_cast<FieldForm>(*at_++);
  }
  cell.text = bytes();
  return true;
}

struct RowView {
  const std::byte* at = nullptr;

  [[nodiscard]] std::size_t bytes() const { return load_le<std::uint32_t>(at); }
  [[nodiscard]] std::size_t cells() const { return load_le<std::uint16_t>(at + 4); }
  [[nodiscard]] std::uint16_t nanos() const { return load_le<std::uint16_t>(at + 6) & kNanosBits; }
  // Where the id is computed from what the message says (id.h).
  [[nodiscard]] std::optional<std::uint32_t> repeat() const {
    const unsigned bits = load_le<std::uint16_t>(at + 6) >> kRepeatShift;
    return bits == 0 ? std::nullopt : std::optional<std::uint32_t>(bits - 1);
  }
  [[nodiscard]] std::int64_t time_us() const { return load_le<std::int64_t>(at + 8); }
  [[nodiscard]] std::uint64_t arrival() const { return load_le<std::uint64_t>(at + 16); }
  [[nodiscard]] std::span<const std::byte> span() const { return {at, bytes()}; }
  [[nodiscard]] CellReader reader() const { return {at + kRowHeadBytes, at + bytes()}; }
  // The first cell of the column; columns but object and field have one at most.
  [[nodiscard]] std::optional<Cell> cell(Column column) const;

  static constexpr unsigned kNanosBits = 0x3ff, kRepeatShift = 12;
};

// Messages are ordered by time, then by arrival.
inline auto time_order(RowView row) { return std::tuple(row.time_us(), row.nanos(), row.arrival()); }

inline void set_nanos(std::byte* row, unsigned nanos, std::optional<std::uint32_t> repeat) {
  const unsigned bits = repeat ? *repeat + 1 : 0;
  store_le(row + 6, static_cast<std::uint16_t>(nanos | bits << RowView::kRepeatShift));
}
inline void set_arrival(std::byte* row, std::uint64_t arrival) { store_le(row + 16, arrival); }

// Size of the row at `at`, or 0 if [at, end) does not hold a complete, well-formed one.
std::size_t check_row(const std::byte* at, const std::byte* end);

}  // namespace varve::message
