// SPDX-License-Identifier: Apache-2.0
// Write-ahead log on disk: wal/<segment number, 16 hex digits>.log. docs/formats/log.md.
//
//   segment := "varvewal" version:u32 zero:u32  record*
//   record  := magic:u32 crc:u32 length:u32 definitions:u32 sequence:u64  payload          (24 bytes before it)
//   payload := definition records (`definitions` bytes, docs/formats/definitions.md), rows (the rest, model/row.h or
//   messages)
//            | mark, if `definitions` is kMark: synced:u64 next:u64, in a segment's first record also file identity
//
// Little endian. `length` is that of the payload; crc is the CRC-32C of everything behind it. Sequences ascend by one
// over all segments. A batch and the definitions it needs are one record: both are there after a crash, or neither.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace varve::engine::rocksdb {

inline constexpr char kLogMagic[8] = {'v', 'a', 'r', 'v', 'e', 'w', 'a', 'l'};
inline constexpr std::uint32_t kLogVersion = 4;  // 3 had no staleness markers, 2 no messages, 1 no marks
inline constexpr std::size_t kSegmentHeadBytes = 16;
inline constexpr std::uint32_t kRecordMagic = 0x5276'7661;  // "avvR"
inline constexpr std::size_t kRecordHeadBytes = 24;
inline constexpr std::size_t kPayloadBytesMax = std::size_t{1} << 30;
inline constexpr std::uint32_t kMark = 0xffff'ffff;  // in place of the length of the definitions: the record is a mark
inline constexpr std::size_t kMarkBytes = 16;
inline constexpr std::size_t kOpeningMarkBytes = 48;

// Identifies a file and the boot of the operating system that wrote it. If a file's identity equals that in its first
// mark, the kernel that wrote it is still running: there was no power cut since.
struct FileIdentity {
  std::uint64_t inode = 0;
  std::uint64_t born_ns = 0;   // 0: not known to the file system
  std::uint64_t boot[2] = {};  // of the kernel, random
  bool operator==(const FileIdentity&) const = default;
};

// Written between records. Has no sequence number of its own and does not change data.
struct LogMark {
  std::uint64_t after = 0;           // sequence of the record before it, also in an older segment
  std::uint64_t synced = 0;          // records up to this one were on disk when the mark was written
  std::uint64_t next = 0;            // sequence of the record after it: after + 1, unless records were lost at a start
  std::optional<FileIdentity> file;  // in a segment's first record only
};

struct LogRecord {
  std::uint64_t sequence = 0;
  std::span<const std::byte> bytes;  // the whole record
  std::span<const std::byte> definitions;
  std::span<const std::byte> rows;
  std::optional<LogMark> mark;
};

// Encodes the head of a record whose payload is `definitions` followed by `rows`.
void encode_record_head(std::byte (&head)[kRecordHeadBytes], std::uint64_t sequence,
                        std::span<const std::byte> definitions, std::span<const std::byte> rows);

// Encodes a whole record; returns its size.
inline constexpr std::size_t kMarkRecordBytesMax = kRecordHeadBytes + kOpeningMarkBytes;
std::size_t encode_mark(std::byte (&record)[kMarkRecordBytesMax], const LogMark& mark);

}  // namespace varve::engine::rocksdb
