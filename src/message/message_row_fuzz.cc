// SPDX-License-Identifier: Apache-2.0
// check_row on arbitrary bytes: what it lets through can be read to its end without leaving the input.
#include <cstdlib>

#include "message/id.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::message;
  const auto* at = reinterpret_cast<const std::byte*>(data);
  const auto* const end = at + size;
  std::uint64_t seen = 0;
  for (std::size_t bytes = 0; (bytes = check_row(at, end)) != 0; at += bytes) {
    const RowView row{at};
    if (bytes != row.bytes() || bytes > static_cast<std::size_t>(end - at)) std::abort();
    std::size_t cells = 0;
    CellReader reader = row.reader();
    for (Cell cell; reader.next(cell); ++cells) {
      seen += static_cast<std::uint64_t>(cell.number);
      for (const char c : cell.name) seen += static_cast<unsigned char>(c);
      for (const char c : cell.text) seen += static_cast<unsigned char>(c);
    }
    if (cells != row.cells()) std::abort();
    seen += static_cast<unsigned char>(id_of(row)[kIdBytes - 1]);
  }
  return seen == 0x5eed5eed5eed5eed ? 1 : 0;  // the values are used
}
