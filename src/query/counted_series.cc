// SPDX-License-Identifier: Apache-2.0
#include "query/counted_series.h"

namespace varve::query {

Status CountedSeries::piece(const How& how, model::ValueType type, std::span<const model::Timestamp> times,
                            std::span<const std::uint64_t> bits) {
  const bool interleaves = !piece_.times.empty() && times.front() < piece_.times.back();
  if (interleaves) {
    last_ = last_before_;
    cells_.back_to(cells_before_);
  } else {
    last_before_ = last_;
    cells_before_ = cells_.mark();
    piece_.times.clear();
    piece_.types.clear();
    piece_.bits.clear();
  }
  const std::size_t held = bytes_of(piece_);
  append(piece_, type, times, bits);
  if (interleaves) keep(piece_, 0, false);  // in order
  const std::size_t holds = bytes_of(piece_);
  if (holds > held && how.charge) VARVE_RETURN_IF_ERROR(how.charge(holds - held));
  return aggregate::count(how.evidence, last_, piece_, how.range, how.windows, how.charge, cells_);
}

}  // namespace varve::query
