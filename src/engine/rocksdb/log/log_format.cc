// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log_format.h"

#include "base/check.h"
#include "codec/crc32c.h"

namespace varve::engine::rocksdb {

void encode_record_head(std::byte (&head)[kRecordHeadBytes], std::uint64_t sequence,
                        std::span<const std::byte> definitions, std::span<const std::byte> rows) {
  check(definitions.size() + rows.size() <= kPayloadBytesMax, "a record is bounded");
  store_le(head, kRecordMagic);
  store_le(head + 8, static_cast<std::uint32_t>(definitions.size() + rows.size()));
  store_le(head + 12, static_cast<std::uint32_t>(definitions.size()));
  store_le(head + 16, sequence);
  std::uint32_t crc = codec::crc32c({head + 8, kRecordHeadBytes - 8});
  crc = codec::crc32c(definitions, crc);
  crc = codec::crc32c(rows, crc);
  store_le(head + 4, crc);
}

std::size_t encode_mark(std::byte (&record)[kMarkRecordBytesMax], const LogMark& mark) {
  const std::size_t payload = mark.file ? kOpeningMarkBytes : kMarkBytes;
  store_le(record, kRecordMagic);
  store_le(record + 8, static_cast<std::uint32_t>(payload));
  store_le(record + 12, kMark);
  store_le(record + 16, mark.after);
  store_le(record + kRecordHeadBytes, mark.synced);
  store_le(record + kRecordHeadBytes + 8, mark.next);
  if (mark.file) {
    store_le(record + kRecordHeadBytes + 16, mark.file->inode);
    store_le(record + kRecordHeadBytes + 24, mark.file->born_ns);
    store_le(record + kRecordHeadBytes + 32, mark.file->boot[0]);
    store_le(record + kRecordHeadBytes + 40, mark.file->boot[1]);
  }
  store_le(record + 4, codec::crc32c({record + 8, kRecordHeadBytes - 8 + payload}));
  return kRecordHeadBytes + payload;
}

}  // namespace varve::engine::rocksdb
