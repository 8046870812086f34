// SPDX-License-Identifier: Apache-2.0
// The complex numbers and histograms that KairosDB and its plugin kairosdb-extensions write into Cassandra, as the
// bytes of varve's. docs/formats/kairosdb.md has every byte. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::migrate {

// `stored` → the bytes of model/complex.h or model/histogram.h. Error: corrupt.
Result<std::string> complex_of(std::string_view stored);
Result<std::string> histogram_v1_of(std::string_view stored);
Result<std::string> histogram_v2_of(std::string_view stored);

}  // namespace varve::migrate
