// SPDX-License-Identifier: Apache-2.0
// Batch: the rows of one request, all of one tenant, in the order of the sender. Builder: makes one row after the
// other.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/column.h"
#include "message/name_index.h"
#include "message/row.h"

namespace varve::message {

inline constexpr std::size_t kTextBytesMax = std::size_t{1} << 20;
inline constexpr std::size_t kCellBytesMax = std::size_t{1} << 16;  // of other columns and fields
inline constexpr std::size_t kNameBytesMax = 256;                   // of a field's name
inline constexpr std::size_t kObjectsMax = 1024;
inline constexpr std::size_t kFieldsMax = 1000;
static_assert(kObjectsMax <= NameIndex::kNamesMax && kFieldsMax <= NameIndex::kNamesMax);

// Reused between requests (clear() keeps the memory). For one thread.
class Batch {
 public:
  void clear() { used_ = rows_ = 0, first_us_ = kNone, last_us_ = -kNone; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_.get(), used_}; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] bool empty() const { return rows_ == 0; }
  // Of its messages; only where it is not empty.
  [[nodiscard]] std::int64_t first_us() const { return first_us_; }
  [[nodiscard]] std::int64_t last_us() const { return last_us_; }

  // About so many more bytes of rows will come: room for them at once, so that none is copied when it grows.
  void expect(std::size_t bytes);
  // Room behind the last row.
  std::byte* reserve(std::size_t bytes);
  // The row that was written there.
  void added(std::size_t bytes, std::int64_t time_us);
  // The row that was added last, to be changed; only where the batch is not empty.
  std::byte* last() { return data_.get() + last_; }
  // It goes on in room that was reserved.
  void lengthen_last(std::size_t bytes);

 private:
  void grow(std::size_t size);

  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
  std::size_t last_ = 0;  // where the last row begins
  std::size_t rows_ = 0;
  std::int64_t first_us_ = kNone;
  std::int64_t last_us_ = -kNone;
};

// Takes the cells of one message in any order. Texts are views until finish(). What is given twice counts once, the
// last one. Errors (too_large, limit, invalid) name what is wrong; the message is then given up with start().
class Builder {
 public:
  explicit Builder(Batch& batch) : batch_(batch) {}

  void start();
  Status set(Column column, std::string_view text);  // of text columns
  void set(Column column, std::int64_t number);      // of integer columns but time
  void set_id(const std::array<char, kIdBytes>& id);
  Status add_object(std::string_view name);  // "type:value": both not empty
  Status add_field(std::string_view name, FieldForm form, std::string_view text);
  // Takes back what was given.
  void drop(Column column);  // of objects and fields all of them
  void drop_field(std::string_view name);
  // Of the field of this name, if it is there and FieldForm::text.
  [[nodiscard]] std::optional<std::string_view> text_of_field(std::string_view name);
  // Is there a cell of this column?
  [[nodiscard]] bool has(Column column) const { return (has_ & bit(column)) != 0; }

  // Adds the row to the batch. `nanos`: 0 … 999, behind the microsecond.
  void finish(std::int64_t time_us, unsigned nanos = 0);
  // The same with an id that is computed from all this (id.h); none was given. Equal messages have the same: MadeIds
  // tells them apart.
  void finish_with_computed_id(std::int64_t time_us, unsigned nanos);

 private:
  struct Field {
    std::string_view name;
    FieldForm form;
    std::string_view text;
    bool dropped = false;  // but its name was given, and counts
  };
  static constexpr std::uint32_t bit(Column column) { return 1U << static_cast<unsigned>(column); }
  std::size_t find_field(std::string_view name);
  [[nodiscard]] std::size_t bytes_max() const;
  std::byte* put_cells(std::byte* to) const;
  void put_row(std::int64_t time_us, unsigned nanos, std::optional<std::uint32_t> repeat);

  Batch& batch_;
  std::uint32_t has_ = 0;
  std::array<std::string_view, kColumns> texts_;
  std::array<std::int64_t, kColumns> numbers_{};
  std::array<char, kIdBytes> id_{};
  std::vector<std::string_view> objects_;
  NameIndex objects_index_;
  std::vector<Field> fields_;
  NameIndex fields_index_;
  std::size_t dropped_fields_ = 0;
};

}  // namespace varve::message
