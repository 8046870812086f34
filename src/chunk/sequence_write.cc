// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "chunk/sequence.h"
#include "chunk/vectors.h"

namespace varve::chunk {
namespace {

using Values = std::span<const std::int64_t>;

// Greatest common divisor of the distances to min, or 1. Most sequences show in a few values that it is 1.
std::uint64_t unit_of(Values values, std::int64_t min) {
  const auto over = [min](std::int64_t v) { return static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(min); };
  std::uint64_t unit = 0;
  const std::size_t stride = values.size() / 8 + 1;
  for (std::size_t i = 0; i < values.size() && unit != 1; i += stride) unit = std::gcd(unit, over(values[i]));
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < values.size() && unit != 1; ++i) {
    const std::uint64_t here = over(values[i]);
    if (here == last) continue;
    last = here;
    if (unit == 0 || here % unit != 0) unit = std::gcd(unit, here);
  }
  return std::max<std::uint64_t>(unit, 1);
}

// Symbols of four bits, the first of two in the low bits of a byte; sixteen at a time.
void pack_nibbles(std::span<const std::uint64_t> z, std::byte* to) {
  constexpr Lanes kShifts = {0, 4, 8, 12};
  std::size_t i = 0;
  for (; i + 16 <= z.size(); i += 16) {
    const std::uint64_t* const at = z.data() + i;
    store_le(to + i / 2,
             either(load_vector<Lanes>(at) << kShifts | load_vector<Lanes>(at + 4) << (kShifts + 16) |
                    load_vector<Lanes>(at + 8) << (kShifts + 32) | load_vector<Lanes>(at + 12) << (kShifts + 48)));
  }
  for (; i + 1 < z.size(); i += 2) to[i / 2] = static_cast<std::byte>(z[i] | z[i + 1] << 4);
  if (i < z.size()) to[i / 2] = static_cast<std::byte>(z[i]);
}

void pack_bytes(std::span<const std::uint64_t> z, std::byte* to) {
  constexpr Lanes kShifts = {0, 8, 16, 24};
  std::size_t i = 0;
  for (; i + 8 <= z.size(); i += 8) {
    store_le(to + i, either(load_vector<Lanes>(z.data() + i) << kShifts | load_vector<Lanes>(z.data() + i + 4)
                                                                              << (kShifts + 32)));
  }
  for (; i < z.size(); ++i) to[i] = static_cast<std::byte>(z[i]);
}

template <unsigned order>
void zigzags_of(Values v, std::uint64_t base, std::uint64_t* out) {
  for (std::size_t i = order; i < v.size(); ++i) out[i - order] = zigzag_of(residual<order>(v.data(), i, base));
}

}  // namespace

void SequenceWriter::divide(Values values, std::int64_t min, std::uint64_t unit) {
  divided_.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    divided_[i] =
        static_cast<std::int64_t>((static_cast<std::uint64_t>(values[i]) - static_cast<std::uint64_t>(min)) / unit);
  }
}

bool SequenceWriter::write(Values values, Range range, Plan plan, std::int64_t origin, Sections& out) {
  check(!values.empty() && range.min <= range.max, "a sequence has values in its range");
  const auto min = static_cast<std::uint64_t>(range.min);
  const std::uint64_t unit = plan.sparse ? 1 : unit_of(values, range.min);
  if (unit != 1) {
    divide(values, range.min, unit);
    values = divided_;
    range = {0, static_cast<std::int64_t>((static_cast<std::uint64_t>(range.max) - min) / unit)};
    plan = make_plan(values, range);
  }

  check(plan.order < values.size(), "differences have values to start from");
  zigzags_.resize(residuals(values.size(), plan.order));
  switch (plan.order) {
    case 0: zigzags_of<0>(values, plan.base, zigzags_.data()); break;
    case 1: zigzags_of<1>(values, plan.base, zigzags_.data()); break;
    default: zigzags_of<2>(values, plan.base, zigzags_.data()); break;
  }

  Bytes& params = out.params();
  params.zigzag(min - static_cast<std::uint64_t>(origin));
  if (unit != 1) params.varint(unit);
  const auto zero = static_cast<std::uint64_t>(range.min);  // what the values count from, after the division
  const auto value = [&](std::size_t i) { return static_cast<std::uint64_t>(values[i]); };
  if (plan.order == 0) params.zigzag(plan.base - zero);
  if (plan.order >= 1) params.varint(value(0) - zero);
  if (plan.order == 1) params.zigzag(plan.base);
  if (plan.order == 2) params.zigzag(value(1) - value(0));

  unsigned head = plan.order << kOrderShift | (unit != 1 ? kHasUnit : 0U);
  if (plan.sparse) {
    write_sparse(out);
    head |= kSparse;
  } else {
    head |= plan.symbol_class | (write_symbols(plan, out) ? kHasEscapes : 0U);
  }
  out.heads().byte(head);
  return plan.sparse;
}

void SequenceWriter::write_sparse(Sections& out) {
  Bytes& side = out.side();
  const std::size_t before = side.size();
  std::size_t next = 0;
  for (std::size_t i = 0; i < zigzags_.size(); ++i) {
    if (zigzags_[i] == 0) continue;
    side.varint(i - next);
    side.varint(zigzags_[i]);
    next = i + 1;
  }
  out.params().varint(side.size() - before);
}

bool SequenceWriter::write_symbols(const Plan& plan, Sections& out) {
  check(plan.symbol_class < kClasses, "a plan names a class of symbols");
  if (plan.symbol_class >= kShiftedFrom) {
    out.params().byte(plan.shift);
    write_low(plan.shift, out.low());
  }
  const std::uint64_t escape = is_nibble(plan.symbol_class) ? kNibbleEscape : kByteEscape;
  std::uint64_t* const z = zigzags_.data();
  const std::size_t n = zigzags_.size();
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < n; ++i) {
    z[i] >>= plan.shift;
    beyond |= z[i] >= escape ? 1U : 0U;
  }
  if (beyond != 0) {
    escapes_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (z[i] < escape) continue;
      escapes_.varint(z[i] - escape);
      z[i] = escape;
    }
    out.params().varint(escapes_.size());
    out.side().add(escapes_.view());
  }
  Bytes& symbols = out.symbols[plan.symbol_class];
  std::byte* const to = symbols.reserve(n + 1);
  is_nibble(plan.symbol_class) ? pack_nibbles(zigzags_, to) : pack_bytes(zigzags_, to);
  symbols.advance(symbol_bytes(plan.symbol_class, n));
  return beyond != 0;
}

void SequenceWriter::write_low(unsigned shift, Bytes& out) {
  check(shift <= kShiftMax, "low bits fit into a word");
  const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
  std::byte* at = out.reserve(zigzags_.size() * shift / 8 + 16);
  std::uint64_t bits = 0;
  unsigned filled = 0;  // < 8 between values
  for (const std::uint64_t z : zigzags_) {
    bits |= (z & mask) << filled;
    filled += shift;
    store_le(at, bits);
    at += filled / 8;
    bits = filled >= 64 ? 0 : bits >> (filled & ~7U);
    filled &= 7;
  }
  out.advance((zigzags_.size() * shift + 7) / 8);
}

}  // namespace varve::chunk
