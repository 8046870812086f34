// SPDX-License-Identifier: Apache-2.0
// Filter: removes the points that satisfy a comparison, and those that cannot be compared with the threshold: texts
// with a number, numbers with a text, complex numbers with either. From histograms it removes values, as
// histogram_filter.h says; with a text threshold all of them. Nulls stay.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "aggregate/points.h"

namespace varve::aggregate {

struct Filter {
  enum class Compare : std::uint8_t { less_or_equal, less, greater_or_equal, greater, equal, not_equal };
  Compare compare = Compare::equal;
  std::variant<double, std::string> threshold;  // texts are compared byte by byte
  bool discard_partial = false;                 // of histograms: HistogramFilter's
};

Points apply(const Filter& filter, Points in);

}  // namespace varve::aggregate
