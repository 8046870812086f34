// SPDX-License-Identifier: Apache-2.0
// check_row on arbitrary bytes: what it lets through can be read to its end without leaving the input.
#include <cstdlib>

#include "model/row.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::model;
  const auto* at = reinterpret_cast<const std::byte*>(data);
  const auto* const end = at + size;
  std::uint64_t seen = 0;
  for (std::size_t bytes = 0; (bytes = check_row(at, end)) != 0; at += bytes) {
    const RowView row{at};
    if (bytes != row.bytes() || bytes > static_cast<std::size_t>(end - at)) std::abort();
    for (unsigned i = 0; i < row.count(); ++i) {
      const Value value = row.value(i);
      seen += value.bits;
      for (const char c : value.text) seen += static_cast<unsigned char>(c);
    }
  }
  return seen == 0x5eed5eed5eed5eed ? 1 : 0;  // the values are used
}
