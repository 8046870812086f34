// SPDX-License-Identifier: Apache-2.0
// Rice codes of bytes: for frames with so few symbols that a Huffman table would cost more than it saves. A symbol s is
// coded as s >> k zero bits and a one, followed by its low k bits; docs/formats/block.md. Optimal for geometrically
// distributed symbols; normally distributed ones cost a seventh of a bit more than necessary.
#pragma once

#include <cstddef>
#include <span>

#include "chunk/bytes.h"

namespace varve::chunk {

// For longer frames, a Huffman table costs less than a tenth of a bit per symbol.
inline constexpr std::size_t kRiceSymbolsMax = 4096;

struct RicePlan {
  unsigned k = 0;
  std::size_t bytes = 0;  // coded size
};

// Takes 1 to kRiceSymbolsMax symbols.
RicePlan plan_rice(std::span<const std::byte> symbols);

// Appends plan.bytes bytes.
void write_rice(const RicePlan& plan, std::span<const std::byte> symbols, Bytes& out);

// Are these bytes Rice-coded, and not a zstd frame? The first byte tells.
bool is_rice(std::span<const std::byte> coded);

// False unless `coded` holds exactly out.size() symbols. Safe for untrusted bytes.
bool read_rice(std::span<const std::byte> coded, std::span<std::byte> out);

}  // namespace varve::chunk
