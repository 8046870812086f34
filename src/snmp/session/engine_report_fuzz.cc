// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "snmp/session/engine_report.h"

// What comes to the socket of a probe: any bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::uint32_t id : {0U, 0x01020304U}) {
    const auto engine = varve::snmp::session::engine_of_report(bytes, id);
    if (engine && (engine->size() < 5 || engine->size() > 32)) std::abort();
    if (engine && bytes.find(*engine) == std::string_view::npos) std::abort();
  }
  return 0;
}
