// SPDX-License-Identifier: Apache-2.0
// Any bytes as a remote read request: nothing is read out of bounds, and what is read lies within it.
#include <cstdint>
#include <cstdlib>

#include "protocol/prometheus/remote_read.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto read = varve::protocol::prometheus::parse_read_request(body);
  if (!read) return 0;
  std::size_t bytes = 0;
  for (const auto& query : *read) {
    for (const auto& matcher : query.matchers) bytes += matcher.name.size() + matcher.value.size();
  }
  if (bytes > size) std::abort();
  return 0;
}
