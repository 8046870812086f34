// SPDX-License-Identifier: Apache-2.0
// Foreign bytes as a log segment: reading it must end, stay inside, and give rows that check_row has seen.
#include <cstdlib>

#include "engine/rocksdb/log/segment_reader.h"
#include "model/row.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve;
  using namespace varve::engine::rocksdb;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  auto reader = SegmentReader::open(bytes);
  if (!reader) return 0;
  std::size_t seen = 0;
  std::size_t before = reader->offset();
  do {
    while (const auto record = reader->next()) {
      if (reader->offset() <= before || reader->offset() > size) std::abort();
      before = reader->offset();
      seen += record->definitions.size() + record->rows.size();
      const std::byte* at = record->rows.data();
      const std::byte* const end = at + record->rows.size();
      while (at != end) {
        const std::size_t row = model::check_row(at, end);
        if (row == 0) break;
        at += row;
      }
    }
    static_cast<void>(reader->blank());
  } while (reader->left() > 0 && reader->skip());
  if (seen > size) std::abort();
  return 0;
}
