// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request of metrics, first its form, parsed twice with the same groups: nothing is read out of bounds,
// rows are well-formed, and a series means the same when it is known as when it was new.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "protocol/otlp/metrics_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::protocol::otlp;
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_json = (data[0] & 1) == 0;  // j
  for (const bool keeps_names : {true, false}) {
    MetricsBench bench;
    bench.groups.keep_names = keeps_names;
    bench.naming.translation = {(data[0] & 2) != 0, (data[0] & 4) == 0};
    bench.naming.promoted = {"host.name", "a"};
    const std::string once = bench.text(body, is_json);
    if (bench.text(body, is_json) != once) std::abort();
  }
  return 0;
}
