// SPDX-License-Identifier: Apache-2.0
// PackedRows: rows of a few 64-bit numbers, in little memory. Of each column it keeps the least number, and of each row
// what it is over that, in as few bytes as the greatest of them takes: none where all are equal. Series that are
// scraped together have nearly the same numbers. Immutable; any row can be read.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"

namespace varve::engine::rocksdb {

template <std::size_t kColumns>
class PackedRows {
 public:
  using Row = std::array<std::uint64_t, kColumns>;

  PackedRows() = default;  // reads as rows of zeros
  explicit PackedRows(std::span<const Row> rows) {
    std::size_t bytes = 0;
    for (std::size_t c = 0; c < kColumns; ++c) {
      columns_[c] = column_of(rows, c);
      columns_[c].at = static_cast<std::uint32_t>(bytes);
      bytes += columns_[c].width * rows.size();
    }
    if (bytes == 0) return;
    size_ = bytes + kSlack;
    bytes_ = std::make_unique<std::byte[]>(size_);
    for (std::size_t c = 0; c < kColumns; ++c) {
      if (columns_[c].width == 0) continue;
      std::byte* to = bytes_.get() + columns_[c].at;
      for (const Row& row : rows) {
        store_le(to, row[c] - columns_[c].least);  // the zeros behind it are written over by what comes next
        to += columns_[c].width;
      }
    }
  }

  [[nodiscard]] Row operator[](std::size_t row) const {
    Row out;
    for (std::size_t c = 0; c < kColumns; ++c) {
      const Column& column = columns_[c];
      out[c] = column.least;
      if (column.width == 0) continue;
      const auto over = load_le<std::uint64_t>(bytes_.get() + column.at + row * column.width);
      out[c] += over & ~std::uint64_t{0} >> (64 - 8 * column.width);
    }
    return out;
  }

  [[nodiscard]] std::size_t memory_bytes() const { return sizeof(*this) + size_; }

 private:
  static constexpr std::size_t kSlack = 8;  // numbers are read and written as eight bytes

  struct Column {
    std::uint64_t least = 0;
    std::uint32_t at = 0;  // in bytes_
    std::uint8_t width = 0;
  };

  static Column column_of(std::span<const Row> rows, std::size_t c) {
    if (rows.empty()) return {};
    std::uint64_t least = rows[0][c];
    std::uint64_t greatest = least;
    for (const Row& row : rows) {
      least = std::min(least, row[c]);
      greatest = std::max(greatest, row[c]);
    }
    return {least, 0, static_cast<std::uint8_t>((std::bit_width(greatest - least) + 7) / 8)};
  }

  std::array<Column, kColumns> columns_{};
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace varve::engine::rocksdb
