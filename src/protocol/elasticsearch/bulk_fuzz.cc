// SPDX-License-Identifier: Apache-2.0
// Any bytes as a bulk request: no crash, no read outside, well-formed rows, and an answer that is JSON.
#include <cstdint>
#include <cstdlib>

#include "protocol/elasticsearch/bulk_text.h"
#include "protocol/json/tree.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::protocol;
  std::string items;
  elasticsearch::bulk_text({reinterpret_cast<const char*>(data), size}, "x", &items);
  if (size < 10'000 && !json::check_strict("[" + items + "]")) std::abort();
  return 0;
}
