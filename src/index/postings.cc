// SPDX-License-Identifier: Apache-2.0
#include "index/postings.h"

namespace varve::index {

void Postings::append(ListRef& list, std::uint32_t id) {
  check(id < kIdsMax, "an id has 31 bits");
  if (list == kEmptyList) {
    list = ListRef{id};
    return;
  }
  if (!is_long(list)) {
    Long fresh;
    fresh.head = fresh.tail = arena_.allocate(kFirstBytes);
    fresh.tail_bytes = kFirstBytes;
    fresh.used = 4;
    append_long(fresh, number(list));
    list = ListRef{long_.size() | 0x80000000};
    long_.push_back(fresh);
  }
  append_long(long_[number(list)], id);
}

// A step is one more than the difference, so that 0 says "go on in the next piece".
void Postings::append_long(Long& list, std::uint32_t id) {
  check(list.count == 0 || id > list.last, "postings ascend");
  std::byte coded[codec::kVarintBytesMax];
  const auto bytes = static_cast<std::size_t>(codec::put_varint(coded, std::uint64_t{id} - list.last + 1) - coded);
  if (list.used + bytes > list.tail_bytes) {
    std::byte* const full = arena_.at(list.tail);
    if (list.used < list.tail_bytes) full[list.used] = std::byte{0};
    const std::uint32_t size = next_size(list.tail_bytes);
    list.tail = arena_.allocate(size);
    store_le(full, list.tail);
    list.tail_bytes = static_cast<std::uint16_t>(size);
    list.used = 4;
  }
  std::memcpy(arena_.at(list.tail) + list.used, coded, bytes);
  list.used = static_cast<std::uint16_t>(list.used + bytes);
  list.last = id;
  ++list.count;
}

std::uint32_t Postings::first(ListRef list) const {
  if (!is_long(list)) return number(list);
  const std::byte* const piece = arena_.at(long_[number(list)].head);
  std::uint64_t step = 0;
  codec::get_varint(piece + 4, piece + kFirstBytes, step);
  return static_cast<std::uint32_t>(step) - 1;
}

std::vector<std::uint32_t> Postings::ids(ListRef list) const {
  std::vector<std::uint32_t> ids;
  ids.reserve(count(list));
  for_each(list, [&](std::uint32_t id) { ids.push_back(id); });
  return ids;
}

}  // namespace varve::index
