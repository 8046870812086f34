// SPDX-License-Identifier: Apache-2.0
#include "aggregate/remaining.h"

#include "aggregate/histogram_filter.h"

namespace varve::aggregate {

Points apply(const PercentRemaining& /*remaining*/, Points in) {
  Points out;
  out.type = model::ValueType::double_;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto histogram = in.is_null(i) ? std::nullopt : model::decode_histogram(in.texts[i]);
    if (!histogram) continue;
    const std::uint64_t original = original_count(in, i, *histogram);
    if (original == 0) continue;
    const double share = static_cast<double>(histogram->count()) / static_cast<double>(original);
    out.push(in.times[i], out.type, std::bit_cast<std::uint64_t>(share));
  }
  return out;
}

}  // namespace varve::aggregate
