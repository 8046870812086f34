// SPDX-License-Identifier: Apache-2.0
// Any bytes as a body: no crash, no read outside, well-formed rows, and both ways give the same.
#include <cstdlib>

#include "protocol/messages/messages_text.h"

using namespace varve;
using protocol::messages::Precision;
using protocol::messages::Way;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  protocol::messages::Options options;
  options.now_us = 7;
  options.names_in_xml = size % 2 != 0;
  options.precision = static_cast<Precision>(size / 2 % 4);
  const std::string general = parsed(body, options, Way::general, ' ');
  for (const char padding : {' ', '0', '"', '}'}) {
    if (parsed(body, options, Way::fast, padding) != general) std::abort();
  }
  return 0;
}
