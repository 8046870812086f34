// SPDX-License-Identifier: Apache-2.0
// Postings: a very large number of ascending lists of ids, most of them with a single id.
//
// A list is referred to by a ListRef of four bytes, which is the id itself if there is only one (a host name has one
// tag set). Longer lists are varints of differences in a linked list of pieces whose size doubles up to 256 bytes:
// about 1.5 bytes an id if ids are dense, no copying and little slack when a list grows.
//
//   piece := next:u32 (place of the next piece) bytes
#pragma once

#include <cstdint>
#include <vector>

#include "codec/varint.h"
#include "index/arena.h"

namespace varve::index {

// Bit 31 set: the number of a long list. Otherwise the only id, which is less than kIdsMax.
enum class ListRef : std::uint32_t {};
inline constexpr std::uint32_t kIdsMax = 0x7fffffff;
inline constexpr ListRef kEmptyList{kIdsMax};

class Postings {
 public:
  // Makes room for so many appends, which then do not throw.
  void reserve(std::size_t appends) {
    long_.reserve(appends);
    arena_.reserve(appends * (kFirstBytes + kLastBytes), kLastBytes);
  }
  // `id` must be greater than all ids in the list.
  void append(ListRef& list, std::uint32_t id);

  [[nodiscard]] std::uint32_t count(ListRef list) const {
    if (list == kEmptyList) return 0;
    return is_long(list) ? long_[number(list)].count : 1;
  }

  // Calls f(id) in ascending order.
  template <class F>
  void for_each(ListRef list, F&& f) const {
    walk(list, [&](std::uint32_t id) {
      f(id);
      return true;
    });
  }

  // The same until f says false. Did it never?
  template <class F>
  bool walk(ListRef list, F&& f) const {
    if (list == kEmptyList) return true;
    if (!is_long(list)) return f(number(list));
    const Long& l = long_[number(list)];
    std::uint32_t left = l.count;
    std::uint32_t id = 0;
    std::uint32_t piece = l.head;
    for (std::uint32_t bytes = kFirstBytes; left > 0; bytes = next_size(bytes)) {
      const std::byte* const start = arena_.at(piece);
      const std::byte* const end = start + bytes;
      for (const std::byte* at = start + 4; left > 0 && at != end;) {
        std::uint64_t step;
        at = codec::get_varint(at, end, step);
        if (step == 0) break;  // the rest of the piece was too short for the next id
        id += static_cast<std::uint32_t>(step) - 1;
        if (!f(id)) return false;
        --left;
      }
      piece = load_le<std::uint32_t>(start);
    }
    return true;
  }

  [[nodiscard]] std::vector<std::uint32_t> ids(ListRef list) const;

  // The least and the greatest id of a list that is not empty.
  [[nodiscard]] std::uint32_t first(ListRef list) const;
  [[nodiscard]] std::uint32_t last(ListRef list) const {
    return is_long(list) ? long_[number(list)].last : number(list);
  }

  // Do `appends` more ids fit?
  [[nodiscard]] bool has_room(std::size_t appends) const {
    return arena_.has_room(appends * kLastBytes) && long_.size() + appends < kIdsMax;
  }
  [[nodiscard]] std::size_t memory_bytes() const { return arena_.memory_bytes() + long_.memory_bytes(); }

 private:
  static constexpr std::uint32_t kFirstBytes = 16;
  static constexpr std::uint32_t kLastBytes = 256;
  static constexpr std::uint32_t next_size(std::uint32_t bytes) { return bytes < kLastBytes ? bytes * 2 : kLastBytes; }

  struct Long {
    std::uint32_t count = 0;
    std::uint32_t last = 0;        // the greatest id
    std::uint32_t head = 0;        // first piece
    std::uint32_t tail = 0;        // last piece
    std::uint16_t tail_bytes = 0;  // its size
    std::uint16_t used = 0;        // bytes used of it
  };

  static bool is_long(ListRef list) { return static_cast<std::uint32_t>(list) >> 31 != 0; }
  static std::uint32_t number(ListRef list) { return static_cast<std::uint32_t>(list) & kIdsMax; }
  void append_long(Long& list, std::uint32_t id);

  Column<Long> long_;
  Arena arena_;
};

}  // namespace varve::index
