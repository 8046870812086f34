// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request of remote write 2.0: nothing is read out of bounds, and parse_twice() finds no fault.
#include <cstdint>

#include "protocol/prometheus/testing/parse_twice.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::protocol;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  // A text may be of several.
  testing::remote_write::parse_twice(prometheus::parse_write_request_2, body, size * size);
  return 0;
}
