// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a block. The checksum would stop nearly all of them at the door, so it is set right first.
#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "chunk/block.h"
#include "chunk/format.h"
#include "codec/crc32c.h"

namespace {

using namespace varve;

// A range has what all of it has; where that is an error, anything.
void check_range(const chunk::Block& block, std::size_t g, const std::vector<model::Timestamp>& all) {
  std::vector<model::Timestamp> times;
  const std::size_t first = all.size() / 3, last = all.size() - all.size() / 4 - 1;
  const auto rows = block.times(g, {all[first], all[last]}, times);
  if (!rows || rows->count != last - first || times.size() != rows->count) __builtin_trap();
  if (rows->count != 0 && rows->first != first) __builtin_trap();
  if (!std::equal(times.begin(), times.end(), all.begin() + static_cast<std::ptrdiff_t>(first))) __builtin_trap();
}

void check_rows(const chunk::Block& block, std::size_t g, std::size_t c, const chunk::DecodedColumn* all) {
  const std::size_t n = block.rows(g);
  const chunk::Rows rows{n / 3, n / 2};
  chunk::DecodedColumn some;
  const bool is_good = block.column(g, c, rows, some).has_value();
  if (all == nullptr) return;
  if (!is_good || some.uniform != all->uniform) __builtin_trap();
  const auto is_part = [&](const auto& of_some, const auto& of_all) {
    if (of_some.empty()) return;  // of texts only those of types that occur are there
    if (of_some.size() != rows.count) __builtin_trap();
    if (!std::equal(of_some.begin(), of_some.end(), of_all.begin() + static_cast<std::ptrdiff_t>(rows.first))) {
      __builtin_trap();
    }
  };
  is_part(some.bits, all->bits);
  is_part(some.types, all->types);
  is_part(some.texts, all->texts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::transform(data, data + size, bytes.begin(), [](std::uint8_t b) { return static_cast<std::byte>(b); });
  if (size > chunk::kCheckedFrom) {
    store_le(bytes.data(), chunk::kMagic);
    store_le(bytes.data() + 4, codec::crc32c(std::span<const std::byte>(bytes).subspan(chunk::kCheckedFrom)));
  }
  const auto opened = chunk::Block::open(bytes);
  if (!opened) return 0;
  const chunk::Block& block = **opened;
  // A few bytes may rightly stand for millions of equal values: bound the time, not the format.
  std::size_t budget = 1 << 20;
  std::vector<model::Timestamp> times;
  chunk::DecodedColumn column;
  for (std::size_t g = 0; g < block.groups(); ++g) {
    if (block.find(block.group(g)) != g) __builtin_trap();
    const std::size_t rows = block.rows(g);
    if (rows > budget) continue;
    budget -= rows;
    if (block.times(g, times)) {
      if (times.size() != rows) __builtin_trap();
      check_range(block, g, times);
    }
    for (std::size_t c = 0; c < block.columns(g) && rows <= budget; ++c) {
      budget -= rows;
      static_cast<void>(block.stats(g, c));
      const bool is_good = block.column(g, c, column).has_value();
      check_rows(block, g, c, is_good ? &column : nullptr);
      if (!is_good) continue;
      if ((column.uniform && column.type == model::ValueType::string ? column.texts.size() : column.bits.size()) !=
          rows) {
        __builtin_trap();
      }
      std::size_t sum = 0;
      for (const std::string_view text : column.texts) {
        if (!text.empty()) sum += static_cast<unsigned char>(text.front()) + static_cast<unsigned char>(text.back());
      }
      if (sum > SIZE_MAX / 2) __builtin_trap();  // so that the bytes are really read
    }
  }
  return 0;
}
