// SPDX-License-Identifier: Apache-2.0
// Any bytes as a histogram: no crash; what is one comes back from its own bytes, and can be merged.
#include <cstdlib>

#include "model/histogram.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::model;
  const auto read = decode_histogram({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  const std::string bytes = encode(*read);
  const auto again = decode_histogram(bytes);
  if (!again || again->bins != read->bins || encode(*again) != bytes) std::abort();  // NaN is not equal to itself
  Histogram merged = *read;
  coarsen(merged, merged.precision / 2);
  merge(merged, *read);
  if (merged.bins.size() > read->bins.size() || merged.count() < read->count()) std::abort();
  static_cast<void>(percentile(merged, 0.5));
  return 0;
}
