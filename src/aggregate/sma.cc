// SPDX-License-Identifier: Apache-2.0
// Every sum is of its own samples only: a running sum would carry the rounding of large values on for ever. The column
// is cut into blocks of `size`; the samples of one average are the end of a block and the beginning of the next.
#include "aggregate/sma.h"

#include <utility>
#include <vector>

namespace varve::aggregate {

Points apply(const Sma& sma, Points in) {
  in = as_doubles(without_nulls(std::move(in)));
  const auto size = static_cast<std::size_t>(sma.size);
  const std::size_t n = in.size();
  if (n < size) return {};
  const auto value = [&](std::size_t i) { return std::bit_cast<double>(in.bits[i]); };
  std::vector<double> to_end(n);  // sums from here to the end of the block
  for (std::size_t i = n; i-- > 0;) {
    const bool last = i + 1 == n || (i + 1) % size == 0;
    to_end[i] = value(i) + (last ? 0 : to_end[i + 1]);
  }
  double from_begin = 0;  // sum from the beginning of the block to here
  std::size_t place = 0;  // in the block
  for (std::size_t i = 0; i < n; ++i) {
    from_begin = place == 0 ? value(i) : from_begin + value(i);
    if (i + 1 >= size) {
      const bool whole = place + 1 == size;  // exactly this block
      const double sum = whole ? from_begin : to_end[i + 1 - size] + from_begin;
      in.bits[i + 1 - size] = std::bit_cast<std::uint64_t>(sum / static_cast<double>(size));
    }
    place = place + 1 == size ? 0 : place + 1;
  }
  in.bits.resize(n - size + 1);
  in.times.erase(in.times.begin(), in.times.begin() + static_cast<std::ptrdiff_t>(size - 1));
  return in;
}

}  // namespace varve::aggregate
