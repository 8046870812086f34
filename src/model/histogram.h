// SPDX-License-Identifier: Apache-2.0
// Histogram: counts of values per bin, with the min, max, mean and sum of the values. Encoding: docs/formats/values.md.
//
// A bin is a double truncated to sign, exponent and `precision` bits of the mantissa, so its width is proportional to
// its values (precision 7: at most 1/128 of them). It contains the values from its own value, away from 0, up to the
// next bin. KairosDB's histograms have the same bins; its keys have the same bits in another order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace varve::model {

inline constexpr unsigned kHistogramPrecision = 7;  // default
inline constexpr unsigned kHistogramPrecisionMax = 52;
inline constexpr std::uint64_t kHistogramCountMax = INT64_MAX;  // of a bin and of all bins

struct HistogramBin {
  std::int64_t key = 0;  // bin_of(); sorts as the numbers do
  std::uint64_t count = 0;
  bool operator==(const HistogramBin&) const = default;
};

struct Histogram {
  unsigned precision = kHistogramPrecision;  // at most kHistogramPrecisionMax
  std::vector<HistogramBin> bins;            // ascending by key, each once
  double min = 0, max = 0, mean = 0, sum = 0;

  // Of all bins; at most kHistogramCountMax.
  [[nodiscard]] std::uint64_t count() const;
  bool operator==(const Histogram&) const = default;
};

// The key of the bin of a finite value; and a bin's own value, the one nearest to 0.
std::int64_t bin_of(double value, unsigned precision);
double bin_value(std::int64_t key, unsigned precision);
// The value in the bin farthest from 0.
double bin_outer_value(std::int64_t key, unsigned precision);

// Sorts bins by key and adds the counts of equal ones.
void normalize(Histogram& histogram);
// Reduces the precision; counts of bins that become one are added.
void coarsen(Histogram& histogram, unsigned precision);
// Adds the counts of `from`, at the lower precision of the two; the mean becomes that of both.
void merge(Histogram& into, const Histogram& from);

// The smallest bin value that at least a share `fraction` (0..1) of the values does not exceed. nullopt: the histogram
// is empty.
std::optional<double> percentile(const Histogram& histogram, double fraction);

// `histogram` must be normalized. Equal histograms have equal bytes.
std::string encode(const Histogram& histogram);
// nullopt: the bytes are not a histogram.
std::optional<Histogram> decode_histogram(std::string_view bytes);

}  // namespace varve::model
