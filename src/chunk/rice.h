// SPDX-License-Identifier: Apache-2.0
// Rice codes of bytes: for frames of so few symbols that a table of Huffman codes would cost more than it saves.
// A symbol s is its quotient s >> k as that many 0 bits and a 1, then its low k bits; docs/formats/block.md.
// The best code there is for symbols that fall off geometrically; those of a bell cost a seventh of a bit more than
// need be.
#pragma once

#include <cstddef>
#include <span>

#include "chunk/bytes.h"

namespace varve::chunk {

// Longer frames: a table costs less than a tenth of a bit for each symbol.
inline constexpr std::size_t kRiceSymbolsMax = 4096;

struct RicePlan {
  unsigned k = 0;
  std::size_t bytes = 0;  // as coded
};

// `symbols` are 1 to kRiceSymbolsMax.
RicePlan plan_rice(std::span<const std::byte> symbols);

// Appends plan.bytes bytes.
void write_rice(const RicePlan& plan, std::span<const std::byte> symbols, Bytes& out);

// Are these coded bytes of Rice's, not a frame of zstd's? Their first byte tells.
bool is_rice(std::span<const std::byte> coded);

// False unless `coded` is just out.size() symbols. Foreign bytes are safe.
bool read_rice(std::span<const std::byte> coded, std::span<std::byte> out);

}  // namespace varve::chunk
