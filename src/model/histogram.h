// SPDX-License-Identifier: Apache-2.0
// Histogram: how many values fell into which bin, with what was known of them before. The bytes:
// docs/formats/values.md.
//
// A bin is a double without its lowest bits: sign, exponent and `precision` bits of the mantissa, so that a bin is as
// wide as a share of its values (precision 7: at most 1/128). It stands for the values from itself on, away from 0, up
// to the next one. That is how KairosDB's histograms are made; keys there are the same bits in another order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace varve::model {

inline constexpr unsigned kHistogramPrecision = 7;  // where none is said
inline constexpr unsigned kHistogramPrecisionMax = 52;
inline constexpr std::uint64_t kHistogramCountMax = INT64_MAX;  // of a bin and of all

struct HistogramBin {
  std::int64_t key = 0;  // bin_of; orders as the numbers do
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

// The bin of a finite value: its key, and the bin's own value, which is the one in it that is nearest to 0.
std::int64_t bin_of(double value, unsigned precision);
double bin_value(std::int64_t key, unsigned precision);
// The value in the bin that is farthest from 0.
double bin_outer_value(std::int64_t key, unsigned precision);

// Sorts bins by key and adds the counts of equal ones.
void normalize(Histogram& histogram);
// With bins of a lesser precision; those that become one are added.
void coarsen(Histogram& histogram, unsigned precision);
// Adds what `from` counted, at the lesser precision of the two; the mean becomes that of both.
void merge(Histogram& into, const Histogram& from);

// The histogram's value that at least a share `fraction` (0..1) of its values does not exceed: a bin's own value.
// Nothing: it is empty.
std::optional<double> percentile(const Histogram& histogram, double fraction);

// `histogram` is normal. The same histogram has the same bytes.
std::string encode(const Histogram& histogram);
// Nothing: the bytes are none.
std::optional<Histogram> decode_histogram(std::string_view bytes);

}  // namespace varve::model
