// SPDX-License-Identifier: Apache-2.0
// Foreign bytes as a log segment: reading it must end, stay inside, and give rows that check_row has seen.
#include <cstdlib>

#include "engine/rocksdb/log/log_format.h"
#include "model/row.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve;
  using namespace varve::engine::rocksdb;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  for (const bool skip : {false, true}) {
    std::size_t seen = 0;
    const auto report = read_segment(bytes, skip, [&](const LogRecord& record) -> Status {
      seen += record.definitions.size() + record.rows.size();
      const std::byte* at = record.rows.data();
      const std::byte* const end = at + record.rows.size();
      while (at != end) {
        const std::size_t row = model::check_row(at, end);
        if (row == 0) break;
        at += row;
      }
      return {};
    });
    if (seen > size) std::abort();
    if (report && report->bytes_read + report->torn_bytes > size) std::abort();
  }
  return 0;
}
