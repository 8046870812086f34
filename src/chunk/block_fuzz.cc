// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a block. The checksum would stop nearly all of them at the door, so it is set right first.
#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "chunk/block.h"
#include "chunk/format.h"
#include "codec/crc32c.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve;
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
    if (block.times(g, times) && times.size() != rows) __builtin_trap();
    for (std::size_t c = 0; c < block.columns(g) && rows <= budget; ++c) {
      budget -= rows;
      static_cast<void>(block.stats(g, c));
      if (!block.column(g, c, column)) continue;
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
