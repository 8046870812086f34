// SPDX-License-Identifier: Apache-2.0
// Memory that only grows, is addressed by 32-bit numbers and never moves: growing needs no copy (no stall at ten
// million series, no doubled memory), and views of it stay valid.
//   Arena: bytes, allocated in units of four, so that 32 bits address 16 GiB.
//   Column<T>: an array of T in blocks. Gaps, where nothing is any more, share one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"

namespace varve::index {

class Arena {
 public:
  static constexpr std::size_t kUnit = 4;
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  static constexpr std::size_t kBlockUnits = kBlockBytes / kUnit;

  // Allocates `bytes` ≤ kBlockBytes, aligned to four.
  std::uint32_t allocate(std::size_t bytes) {
    const std::size_t units = (bytes + kUnit - 1) / kUnit;
    check(units <= kBlockUnits, "an arena's piece fits into a block");
    if (used_ % kBlockUnits + units > kBlockUnits) used_ += kBlockUnits - used_ % kBlockUnits;
    add_blocks(used_ + units);
    const auto at = static_cast<std::uint32_t>(used_);
    used_ += units;
    return at;
  }
  // Makes room for pieces of at most `largest`, `bytes` in all, so that allocate() does not throw.
  void reserve(std::size_t bytes, std::size_t largest) {
    const std::size_t ends = bytes / kBlockBytes + 1;  // of blocks, where the next piece may not fit
    add_blocks(used_ + (bytes + ends * largest) / kUnit + 1);
  }
  [[nodiscard]] std::byte* at(std::uint32_t place) {
    return blocks_[place / kBlockUnits].get() + place % kBlockUnits * kUnit;
  }
  [[nodiscard]] const std::byte* at(std::uint32_t place) const {
    return blocks_[place / kBlockUnits].get() + place % kBlockUnits * kUnit;
  }
  // Could pieces of at most 64 KiB, `bytes` in all, still be addressed (with an eighth more for the ends of blocks)?
  [[nodiscard]] bool has_room(std::size_t bytes) const {
    return used_ + (bytes + bytes / 8) / kUnit + kBlockUnits < std::size_t{1} << 32;
  }
  [[nodiscard]] std::size_t memory_bytes() const { return used_ * kUnit + blocks_.capacity() * sizeof(blocks_[0]); }

 private:
  void add_blocks(std::size_t units) {
    while (blocks_.size() * kBlockUnits < units) {
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlockBytes));
    }
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t used_ = 0;  // units
};

// Byte strings of at most 65535 bytes: length:u16 bytes.
class Strings {
 public:
  static constexpr std::size_t kBytesMax = 0xffff;

  std::uint32_t add(std::string_view text) {
    const std::uint32_t place = arena_.allocate(2 + text.size());
    std::byte* to = arena_.at(place);
    store_le(to, static_cast<std::uint16_t>(text.size()));
    if (!text.empty()) std::memcpy(to + 2, text.data(), text.size());
    return place;
  }
  [[nodiscard]] std::string_view at(std::uint32_t place) const {
    const std::byte* from = arena_.at(place);
    return {reinterpret_cast<const char*>(from + 2), load_le<std::uint16_t>(from)};
  }
  [[nodiscard]] bool has_room(std::size_t bytes) const { return arena_.has_room(bytes); }
  [[nodiscard]] std::size_t memory_bytes() const { return arena_.memory_bytes(); }

 private:
  Arena arena_;
};

template <class T>
class Column {
 public:
  static constexpr std::size_t kBlock = 4096;

  // Makes room for `more` values, so that push_back() does not throw.
  void reserve(std::size_t more) {
    while (blocks_.size() * kBlock < size_ + more) blocks_.push_back(std::make_shared_for_overwrite<T[]>(kBlock));
  }
  void push_back(const T& value) {
    reserve(1);
    (*this)[size_++] = value;
  }
  // Appends `value` so many times, which is the same for all gaps. It must not be written to.
  void push_gap(const T& value, std::size_t count) {
    for (; count > 0 && size_ % kBlock != 0; --count) push_back(value);
    for (; count >= kBlock; count -= kBlock, size_ += kBlock) {
      if (gap_ == nullptr) {
        gap_ = std::make_shared_for_overwrite<T[]>(kBlock);
        std::fill_n(gap_.get(), kBlock, value);
      }
      blocks_.push_back(gap_);
    }
    for (; count > 0; --count) push_back(value);
  }
  [[nodiscard]] T& operator[](std::size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return blocks_[i / kBlock][i % kBlock]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(size_); }
  [[nodiscard]] std::size_t memory_bytes() const {
    const std::size_t gaps = gap_ == nullptr ? 0 : static_cast<std::size_t>(gap_.use_count()) - 2;  // but for one
    return (blocks_.size() - gaps) * kBlock * sizeof(T) + blocks_.capacity() * sizeof(blocks_[0]);
  }

 private:
  std::vector<std::shared_ptr<T[]>> blocks_;
  std::shared_ptr<T[]> gap_;  // in blocks_, maybe many times
  std::size_t size_ = 0;
};

}  // namespace varve::index
