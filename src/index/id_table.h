// SPDX-License-Identifier: Apache-2.0
// IdTable: finds the id of some content by its hash. Stores only (hash, id) pairs; the caller compares the content, so
// equal hashes are not mistaken for equal content. The hash must be seeded, or a sender could provoke collisions.
//
// 64 parts by the first bits of the hash, each an open-addressing table with linear probing that grows on its own: a
// definition waits for the growth of one part (a few hundred KiB at a million ids), never of the whole table. Within a
// part a slot's home is hash × slots / 2³², so slots are ordered by hash except for collisions: a part can have any
// size, grows by half, and growing reads and writes sequentially.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace varve::index {

inline constexpr std::uint32_t kNone = 0xffffffff;

class IdTable {
 public:
  // The id with this hash for which equal(id) is true, or kNone.
  template <class Equal>
  [[nodiscard]] std::uint32_t find(std::uint32_t hash, Equal&& equal) const {
    const Part& part = parts_[hash >> kRestBits];
    if (part.count == 0) return kNone;
    for (std::uint32_t at = part.home(hash);; at = part.next(at)) {
      const Slot& slot = part.slots[at];
      if (slot.id == kNone) return kNone;
      if (slot.hash == hash && equal(slot.id)) return slot.id;
    }
  }

  // Makes room for the next insert() of this hash, which then does not throw.
  void reserve(std::uint32_t hash) {
    Part& part = parts_[hash >> kRestBits];
    if ((part.count + 1) * 5 > part.size * 4) part.grow();  // a fifth stays free
  }

  // Precondition: find() returned kNone.
  void insert(std::uint32_t hash, std::uint32_t id) {
    reserve(hash);
    Part& part = parts_[hash >> kRestBits];
    part.put({hash, id});
    ++part.count;
  }

  [[nodiscard]] std::size_t memory_bytes() const {
    std::size_t bytes = 0;
    for (const Part& part : parts_) bytes += std::size_t{part.size} * sizeof(Slot);
    return bytes;
  }

 private:
  static constexpr unsigned kPartBits = 6;
  static constexpr unsigned kRestBits = 32 - kPartBits;

  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = kNone;
  };

  struct Part {
    std::unique_ptr<Slot[]> slots;
    std::uint32_t size = 0;
    std::uint32_t count = 0;

    [[nodiscard]] std::uint32_t home(std::uint32_t hash) const {
      return static_cast<std::uint32_t>(std::uint64_t{hash << kPartBits} * size >> 32);
    }
    [[nodiscard]] std::uint32_t next(std::uint32_t at) const { return at + 1 == size ? 0 : at + 1; }

    void put(Slot slot) {
      std::uint32_t at = home(slot.hash);
      while (slots[at].id != kNone) at = next(at);
      slots[at] = slot;
    }

    void grow() {
      const std::uint32_t old_size = size;
      const std::uint32_t new_size = old_size < 4 ? 4 : old_size + old_size / 2;
      auto old = std::make_unique<Slot[]>(new_size);  // throws before anything has changed
      slots.swap(old);
      size = new_size;
      for (std::uint32_t i = 0; i < old_size; ++i) {
        if (old[i].id != kNone) put(old[i]);
      }
    }
  };

  std::array<Part, 1U << kPartBits> parts_;
};

}  // namespace varve::index
