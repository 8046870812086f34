// SPDX-License-Identifier: Apache-2.0
#include "chunk/sequence.h"

namespace varve::chunk {

bool read_sequence(Places& places, std::size_t count, std::int64_t origin, Sequence& out) {
  Cursor& params = places.params;
  const unsigned head = places.heads.byte();
  out = {};
  out.order = static_cast<std::uint8_t>(head >> kOrderShift & kOrderMask);
  out.symbol_class = static_cast<std::uint8_t>(head & kClassMask);
  out.escapes = (head & kHasEscapes) != 0;
  if (out.order > 2 || (!out.sparse() && out.symbol_class >= kClasses) || (out.sparse() && out.escapes)) return false;
  out.min = static_cast<std::uint64_t>(origin) + params.zigzag();
  if ((head & kHasUnit) != 0) out.unit = params.varint();
  if (out.order == 0) out.base = params.zigzag();
  if (out.order >= 1) out.first = params.varint();
  if (out.order == 1) out.base = params.zigzag();
  if (out.order == 2) out.step = params.zigzag();
  const std::size_t n = residuals(count, out.order);
  if (!out.sparse()) {
    if (out.symbol_class >= kShiftedFrom) out.shift = static_cast<std::uint8_t>(params.byte());
    if (out.shift > kShiftMax) return false;
    out.low_at = places.low;
    places.low += (n * out.shift + 7) / 8;
    out.symbols_at = places.symbols[out.symbol_class];
    places.symbols[out.symbol_class] += symbol_bytes(out.symbol_class, n);
  }
  if (out.sparse() || out.escapes) {
    const std::uint64_t bytes = params.varint();
    if (bytes > (count + 1) * 2 * codec::kVarintBytesMax) return false;
    out.side_at = places.side;
    out.side_bytes = static_cast<std::size_t>(bytes);
    places.side += out.side_bytes;
  }
  return places.heads.ok() && params.ok();
}

}  // namespace varve::chunk
