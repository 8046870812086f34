// SPDX-License-Identifier: Apache-2.0
#include "aggregate/points.h"

#include <type_traits>
#include <utility>

namespace varve::aggregate {

namespace {

using model::ValueType;

template <class T>
void keep(std::vector<T>& list, std::span<const std::uint8_t> kept) {
  if (list.empty()) return;
  std::size_t n = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      list[n] = list[i];  // written in any case: whether it stays is seldom foreseen
    } else {
      if (kept[i] != 0 && n != i) list[n] = std::move(list[i]);
    }
    n += kept[i] != 0 ? 1 : 0;
  }
  list.resize(n);
}

}  // namespace

Points keep(Points in, std::span<const std::uint8_t> kept) {
  keep(in.times, kept);
  keep(in.types, kept);
  keep(in.bits, kept);
  keep(in.texts, kept);
  keep(in.nulls, kept);
  keep(in.originals, kept);
  keep(in.covered_ms, kept);
  return in;
}

Points without_nulls(Points in) {
  if (in.nulls.empty()) return in;
  std::vector<std::uint8_t> kept(in.nulls.size());
  std::ranges::transform(in.nulls, kept.begin(), [](std::uint8_t null) { return null == 0; });
  in.nulls.clear();
  return keep(std::move(in), kept);
}

Points at_timestamps(Points in) {
  if (in.times.empty() || (model::is_timestamp(in.times.front()) && model::is_timestamp(in.times.back()))) return in;
  std::vector<std::uint8_t> kept(in.size());
  std::ranges::transform(in.times, kept.begin(), model::is_timestamp);
  return keep(std::move(in), kept);
}

Points as_doubles(Points in) {
  if (in.types.empty() && in.type == ValueType::double_) return in;
  if (in.types.empty()) {
    for (std::uint64_t& bits : in.bits) bits = std::bit_cast<std::uint64_t>(as_double(ValueType::long_, bits));
  } else {
    for (std::size_t i = 0; i < in.size(); ++i) in.bits[i] = std::bit_cast<std::uint64_t>(in.number(i));
  }
  in.type = ValueType::double_;
  in.types.clear();
  return in;
}

}  // namespace varve::aggregate
