// SPDX-License-Identifier: Apache-2.0
// Any bytes as a push request, first its form: no crash, no read outside, well-formed rows, and both ways of JSON give
// the same.
#include "protocol/loki/push_text.h"

#include <cstdlib>

using namespace varve;
using protocol::messages::Way;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'p') {
    protocol::loki::pushed_protobuf(body);
    return 0;
  }
  const std::string general = protocol::loki::pushed(body, Way::general, ' ');
  for (const char padding : {' ', '0', '"', ']'}) {
    if (protocol::loki::pushed(body, Way::fast, padding) != general) std::abort();
  }
  return 0;
}
