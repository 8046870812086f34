// SPDX-License-Identifier: Apache-2.0
// Write-ahead log on disk: wal/<segment number, 16 hex digits>.log. docs/formats/log.md.
//
//   segment := "varvewal" version:u32 zero:u32  record*
//   record  := magic:u32 crc:u32 length:u32 definitions:u32 sequence:u64  payload          (24 bytes before it)
//   payload := definition records (`definitions` bytes, docs/formats/definitions.md), rows (the rest, model/row.h)
//
// Little endian. `length` is that of the payload; crc is the CRC-32C of everything behind it. Sequences ascend by one
// over all segments. A batch and the definitions it needs are one record: both are there after a crash, or neither.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace varve::engine::rocksdb {

inline constexpr char kLogMagic[8] = {'v', 'a', 'r', 'v', 'e', 'w', 'a', 'l'};
inline constexpr std::uint32_t kLogVersion = 1;
inline constexpr std::size_t kSegmentHeadBytes = 16;
inline constexpr std::uint32_t kRecordMagic = 0x5276'7661;  // "avvR"
inline constexpr std::size_t kRecordHeadBytes = 24;
inline constexpr std::size_t kPayloadBytesMax = std::size_t{1} << 30;

struct LogRecord {
  std::uint64_t sequence = 0;
  std::span<const std::byte> definitions;
  std::span<const std::byte> rows;
};

// Head of a record whose payload is `definitions` followed by `rows`.
void encode_record_head(std::byte (&head)[kRecordHeadBytes], std::uint64_t sequence,
                        std::span<const std::byte> definitions, std::span<const std::byte> rows);

struct SegmentReport {
  std::uint64_t records = 0;
  std::uint64_t bytes_read = 0;     // up to and including the last good record
  std::uint64_t torn_bytes = 0;     // an unfinished record at the end
  bool damaged = false;             // a bad record with good ones behind it
  std::uint64_t damage_offset = 0;  // where the first one begins
  std::uint64_t damaged_bytes = 0;  // skipped in all
};

// Reads a segment's bytes and gives each good record to `apply` in order. What is unfinished at the end is torn; what
// is bad before the end is damage: with skip_damage the reading goes on at the next good record, else it stops there.
// Errors: corrupt (not a log, an unknown version), or what `apply` answered.
Result<SegmentReport> read_segment(std::span<const std::byte> bytes, bool skip_damage,
                                   const std::function<Status(const LogRecord&)>& apply);

}  // namespace varve::engine::rocksdb
