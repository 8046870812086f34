// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request of log records, first its form: no crash, no read outside, well-formed rows.
#include <cstdint>

#include "protocol/otlp/logs_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  varve::protocol::otlp::logs_text(body, data[0] == 'j');
  return 0;
}
