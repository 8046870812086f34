// SPDX-License-Identifier: Apache-2.0
// Decoding runs in passes over an array that fits the first-level cache; each pass is a loop the compiler can turn into
// vector code, except for the running sums.
#include "chunk/sequence.h"

#ifdef __BMI2__
#include <immintrin.h>
#endif

namespace varve::chunk {
namespace {

void expand_bytes(const std::byte* symbols, std::size_t n, std::uint64_t* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint64_t>(symbols[i]);
}

void expand_nibbles(const std::byte* symbols, std::size_t n, std::uint64_t* out) {
  const std::size_t pairs = n / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto two = static_cast<std::uint64_t>(symbols[i]);
    out[2 * i] = two & 15;
    out[2 * i + 1] = two >> 4;
  }
  if (n % 2 != 0) out[n - 1] = static_cast<std::uint64_t>(symbols[pairs]) & 15;
}

bool add_escapes(std::span<const std::byte> side, std::uint64_t escape, std::size_t n, std::uint64_t* out) {
  Cursor cursor(side);
  for (std::size_t i = 0; i < n; ++i) {
    if (out[i] == escape) out[i] += cursor.varint();
  }
  return cursor.ok() && cursor.left() == 0;
}

void add_low(const std::byte* low, unsigned shift, std::size_t n, std::uint64_t* out) {
  const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
  std::size_t i = 0;
#ifdef __BMI2__
  // Up to 8 bits: the bits of eight values begin at a whole byte, and are spread to a byte each at once.
  if (shift <= 8) {
    const std::uint64_t spread = mask * 0x0101010101010101;
    for (; i + 8 <= n; i += 8) {
      std::uint8_t bytes[8];
      store_le(bytes, _pdep_u64(load_le<std::uint64_t>(low + i / 8 * shift), spread));
      for (std::size_t k = 0; k < 8; ++k) out[i + k] = out[i + k] << shift | bytes[k];
    }
  }
#endif
  std::size_t bit = i * shift;
  for (; i < n; ++i, bit += shift) {
    out[i] = out[i] << shift | (load_le<std::uint64_t>(low + bit / 8) >> (bit & 7) & mask);
  }
}

std::uint64_t unzigzag_of(std::uint64_t z) { return (z >> 1) ^ (0 - (z & 1)); }

bool expand(const Sequence& s, const SequenceBytes& bytes, std::size_t n, std::uint64_t* out) {
  const bool nibbles = is_nibble(s.symbol_class);
  if (nibbles) {
    expand_nibbles(bytes.symbols, n, out);
  } else {
    expand_bytes(bytes.symbols, n, out);
  }
  if (s.escapes && !add_escapes(bytes.side, nibbles ? kNibbleEscape : kByteEscape, n, out)) return false;
  if (s.shift != 0) add_low(bytes.low, s.shift, n, out);
  return true;
}

bool expand_sparse(std::span<const std::byte> side, std::size_t n, std::uint64_t* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 0;
  Cursor cursor(side);
  std::size_t next = 0;
  while (cursor.left() != 0) {
    const std::uint64_t gap = cursor.varint();
    const std::uint64_t z = cursor.varint();
    if (!cursor.ok() || gap >= n - next) return false;
    next += static_cast<std::size_t>(gap);
    out[next++] = z;
  }
  return true;
}

// Zigzagged differences at out[1 …] become values. Each sum waits for the one before, so four are summed apart and only
// their total waits.
void integrate_once(const Sequence& s, std::size_t count, std::uint64_t* out) {
  typedef std::uint64_t Lanes __attribute__((vector_size(32), aligned(8), may_alias));
  const Lanes none{};
  Lanes before = none + s.first;
  out[0] = s.first;
  std::size_t i = 1;
  for (; i + 4 <= count; i += 4) {
    Lanes* const at = reinterpret_cast<Lanes*>(out + i);
    Lanes sum = ((*at >> 1) ^ -(*at & 1)) + s.base;
    sum += __builtin_shufflevector(sum, none, 4, 0, 1, 2);
    sum += __builtin_shufflevector(sum, none, 4, 4, 0, 1);
    *at = sum + before;
    before += __builtin_shufflevector(sum, sum, 3, 3, 3, 3);
  }
  std::uint64_t value = before[0];
  for (; i < count; ++i) out[i] = value += unzigzag_of(out[i]) + s.base;
}

// Zigzagged residuals at out[order …] become values, counted from 0 in units. The sums wait for each other, so all that
// can be done without waiting is done before them.
void integrate(const Sequence& s, std::size_t count, std::uint64_t* out) {
  if (s.order == 1) return integrate_once(s, count, out);
  const std::uint64_t base = s.base;
  for (std::size_t i = s.order; i < count; ++i) out[i] = unzigzag_of(out[i]) + base;
  if (s.order == 0) return;
  std::uint64_t value = s.first;
  out[0] = value;
  if (count < 2) return;
  std::uint64_t step = s.step;
  out[1] = value += step;
  for (std::size_t i = 2; i < count; ++i) {
    step += out[i];
    out[i] = value += step;
  }
}

}  // namespace

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

bool decode_sequence(const Sequence& s, const SequenceBytes& bytes, std::size_t count, std::uint64_t* out) {
  if (s.constant()) {
    const std::uint64_t value = s.min + s.unit * s.base;
    for (std::size_t i = 0; i < count; ++i) out[i] = value;
    return true;
  }
  const std::size_t n = residuals(count, s.order);
  std::uint64_t* const first = out + (count - n);
  if (!(s.sparse() ? expand_sparse(bytes.side, n, first) : expand(s, bytes, n, first))) return false;
  if (s.unit == 1) {
    // The offset can go into the start of the sums.
    Sequence moved = s;
    (s.order == 0 ? moved.base : moved.first) += s.min;
    integrate(moved, count, out);
    return true;
  }
  integrate(s, count, out);
  for (std::size_t i = 0; i < count; ++i) out[i] = s.min + s.unit * out[i];
  return true;
}

}  // namespace varve::chunk
