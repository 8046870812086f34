// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log_format.h"

#include <cstring>

#include "codec/crc32c.h"

namespace varve::engine::rocksdb {
namespace {

// Bytes of the good record at `at`, or 0.
std::size_t good_record(std::span<const std::byte> bytes, std::size_t at) {
  if (bytes.size() - at < kRecordHeadBytes) return 0;
  const std::byte* head = bytes.data() + at;
  if (load_le<std::uint32_t>(head) != kRecordMagic) return 0;
  const std::size_t length = load_le<std::uint32_t>(head + 8);
  const std::size_t definitions = load_le<std::uint32_t>(head + 12);
  if (length > kPayloadBytesMax || definitions > length || length > bytes.size() - at - kRecordHeadBytes) return 0;
  const auto covered = bytes.subspan(at + 8, kRecordHeadBytes - 8 + length);
  return codec::crc32c(covered) == load_le<std::uint32_t>(head + 4) ? kRecordHeadBytes + length : 0;
}

// Offset of the next good record at or after `at`, or bytes.size().
std::size_t next_good_record(std::span<const std::byte> bytes, std::size_t at) {
  std::byte magic[4];
  store_le(magic, kRecordMagic);
  while (at < bytes.size()) {
    const void* hit = ::memmem(bytes.data() + at, bytes.size() - at, magic, sizeof magic);
    if (hit == nullptr) return bytes.size();
    at = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - bytes.data());
    if (good_record(bytes, at) > 0) return at;
    ++at;
  }
  return bytes.size();
}

}  // namespace

void encode_record_head(std::byte (&head)[kRecordHeadBytes], std::uint64_t sequence,
                        std::span<const std::byte> definitions, std::span<const std::byte> rows) {
  store_le(head, kRecordMagic);
  store_le(head + 8, static_cast<std::uint32_t>(definitions.size() + rows.size()));
  store_le(head + 12, static_cast<std::uint32_t>(definitions.size()));
  store_le(head + 16, sequence);
  std::uint32_t crc = codec::crc32c({head + 8, kRecordHeadBytes - 8});
  crc = codec::crc32c(definitions, crc);
  crc = codec::crc32c(rows, crc);
  store_le(head + 4, crc);
}

Result<SegmentReport> read_segment(std::span<const std::byte> bytes, bool skip_damage,
                                   const std::function<Status(const LogRecord&)>& apply) {
  SegmentReport report;
  if (bytes.size() < kSegmentHeadBytes) {  // died while the segment was being made
    report.torn_bytes = bytes.size();
    return report;
  }
  if (std::memcmp(bytes.data(), kLogMagic, sizeof kLogMagic) != 0) return fail(Code::corrupt, "it is not a varve log");
  const auto version = load_le<std::uint32_t>(bytes.data() + 8);
  if (version != kLogVersion) {
    return fail(Code::corrupt, "log version " + std::to_string(version) + "; this build reads version 1");
  }
  std::size_t at = kSegmentHeadBytes;
  report.bytes_read = at;
  while (at < bytes.size()) {
    const std::size_t size = good_record(bytes, at);
    if (size == 0) {
      const std::size_t next = next_good_record(bytes, at + 1);
      if (next == bytes.size()) {
        report.torn_bytes = bytes.size() - at;
        return report;
      }
      if (!report.damaged) report.damage_offset = at;
      report.damaged = true;
      report.damaged_bytes += next - at;
      if (!skip_damage) return report;
      at = next;
      continue;
    }
    const std::size_t definitions = load_le<std::uint32_t>(bytes.data() + at + 12);
    const auto payload = bytes.subspan(at + kRecordHeadBytes, size - kRecordHeadBytes);
    LogRecord record{load_le<std::uint64_t>(bytes.data() + at + 16), payload.first(definitions),
                     payload.subspan(definitions)};
    VARVE_CHECK_OK(apply(record));
    ++report.records;
    at += size;
    report.bytes_read = at;
  }
  return report;
}

}  // namespace varve::engine::rocksdb
