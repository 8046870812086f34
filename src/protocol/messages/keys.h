// SPDX-License-Identifier: Apache-2.0
// Which column is a key of? message::column_of for every line's ten keys, with one load and one comparison.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "message/column.h"

namespace varve::protocol::messages {

class KeyTable {
 public:
  static constexpr std::size_t kKeyMax = 16;

  constexpr KeyTable() {
    for (multiplier_ = 0x9e3779b97f4a7c15;; multiplier_ += 0x9e3779b97f4a7c16) {
      if (fill()) return;
    }
  }

  // `key`: at least kKeyMax bytes are readable. Column::field: none.
  [[nodiscard]] message::Column find(const char* key, std::size_t size) const {
    std::uint64_t head = 0;
    std::memcpy(&head, key, sizeof head);
    const Slot& slot = slots_[_bzhi_u64(head, static_cast<unsigned>(8 * size)) * multiplier_ >> kShift];
    const __m128i is = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(key)),
                                      _mm_loadu_si128(reinterpret_cast<const __m128i*>(slot.name.data())));
    const auto differ = ~static_cast<unsigned>(_mm_movemask_epi8(is));
    return slot.size == size && _bzhi_u32(differ, slot.size) == 0 ? slot.column : message::Column::field;
  }

 private:
  static constexpr unsigned kShift = 64 - 8;
  struct Slot {
    std::array<char, kKeyMax> name{};
    std::uint8_t size = 0xff;
    message::Column column = message::Column::field;
  };

  constexpr bool fill() {
    slots_ = {};
    for (const message::ColumnName& of : message::kColumnNames) {
      if (!put(of.key, of.column) || !put(of.contrail, of.column)) return false;
    }
    return true;
  }

  constexpr bool put(std::string_view name, message::Column column) {
    if (name.empty()) return true;
    std::uint64_t head = 0;
    for (std::size_t i = 0; i < name.size() && i < 8; ++i) {
      head |= std::uint64_t{static_cast<unsigned char>(name[i])} << 8 * i;
    }
    Slot& slot = slots_[head * multiplier_ >> kShift];
    if (slot.size != 0xff || name.size() > kKeyMax) return false;
    slot.size = static_cast<std::uint8_t>(name.size());
    slot.column = column;
    for (std::size_t i = 0; i < name.size(); ++i) slot.name[i] = name[i];
    return true;
  }

  std::uint64_t multiplier_ = 0;
  std::array<Slot, 256> slots_{};
};

inline constexpr KeyTable kKeyTable;

}  // namespace varve::protocol::messages
