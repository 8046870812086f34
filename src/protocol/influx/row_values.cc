// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/row_values.h"

#include <algorithm>

namespace varve::protocol::influx {

// Gives all decimals the most decimals that one of them has. False, with nothing changed, if one becomes too large.
bool RowValues::align(unsigned count, Seen& seen) {
  const unsigned decimals = *std::max_element(shapes_.begin(), shapes_.begin() + count);
  constexpr std::int64_t kMax53 = std::int64_t{1} << 53;
  for (unsigned i = 0; i < count; ++i) {
    const std::int64_t limit = kMax53 / kTenTo[decimals - shapes_[i]];
    if (bits_[i] >= limit || bits_[i] <= -limit) return false;
  }
  seen = {decimals, decimals, 0};
  for (unsigned i = 0; i < count; ++i) {
    bits_[i] *= kTenTo[decimals - shapes_[i]];
    shapes_[i] = static_cast<std::uint8_t>(decimals);
    seen.magnitudes |= model::RowBatch::magnitude_bits(bits_[i]);
  }
  return true;
}

void RowValues::add_typed(model::RowBatch& batch, const model::LineGroup& group, model::Timestamp time,
                          unsigned count) {
  for (unsigned i = 0; i < count; ++i) typed_[i] = Number{bits_[i], shapes_[i]}.value();
  batch.add(group, time, {typed_.data(), count});
}

}  // namespace varve::protocol::influx
