// SPDX-License-Identifier: Apache-2.0
#include "aggregate/scale.h"

#include <utility>

namespace varve::aggregate {

namespace {

template <class Change>
Points each(Points in, const Change& change) {
  in = as_doubles(std::move(in));
  for (std::uint64_t& bits : in.bits) bits = std::bit_cast<std::uint64_t>(change(std::bit_cast<double>(bits)));
  return in;
}

}  // namespace

Points apply(const Scale& scale, Points in) {
  return each(std::move(in), [factor = scale.factor](double value) { return value * factor; });
}

Points apply(const Divide& divide, Points in) {
  return each(std::move(in), [divisor = divide.divisor](double value) { return value / divisor; });
}

}  // namespace varve::aggregate
