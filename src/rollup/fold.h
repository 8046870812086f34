// SPDX-License-Identifier: Apache-2.0
// Fold: folds the samples of one series into windows of the finest granularity; coarser windows are computed from
// these.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/time.h"
#include "model/value.h"
#include "rollup/window.h"

namespace varve::rollup {

// Samples of one series in time order, as doubles.
struct Numbers {
  std::span<const model::Timestamp> times;
  std::span<const double> values;
};
// Samples that are not numbers.
struct Texts {
  std::span<const model::Timestamp> times;
  std::span<const std::string_view> values;
  std::span<const model::ValueType> types;  // of each
};

// The samples of one window: positions [first, end).
struct Cut {
  model::Timestamp start = 0;  // of the window
  std::size_t first = 0, end = 0;
};

// Divides ascending times into windows; the result is stored in `out` (cleared first). Needed once for all series of a
// line group.
void cut(std::span<const model::Timestamp> times, std::int64_t width_ms, std::vector<Cut>& out);

// Appends windows to `out`, which must be empty or end before the first of them. A window whose samples are all NaN or
// infinite is left out.
void fold(const Numbers& samples, std::span<const Cut> cuts, Windows& out);
// Text parts are allocated in `texts`; their last values are views of the samples.
void fold(const Texts& samples, std::int64_t width_ms, Windows& out, PartPool& texts);

}  // namespace varve::rollup
