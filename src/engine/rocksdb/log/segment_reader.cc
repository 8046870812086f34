// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/segment_reader.h"

#include <algorithm>
#include <cstring>

#include "codec/crc32c.h"

namespace varve::engine::rocksdb {
namespace {

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

// The head was not written, or a beginning of it.
bool is_torn_head(std::span<const std::byte> head) {
  const auto* magic = reinterpret_cast<const std::byte*>(kLogMagic);
  const auto there = std::mismatch(head.begin(), head.end(), magic, magic + sizeof kLogMagic).first;
  return all_zero({there, head.end()});
}

// Bytes of the good record at `at`, or 0.
std::size_t good_record(std::span<const std::byte> bytes, std::size_t at) {
  if (bytes.size() - at < kRecordHeadBytes) return 0;
  const std::byte* head = bytes.data() + at;
  if (load_le<std::uint32_t>(head) != kRecordMagic) return 0;
  const std::size_t length = load_le<std::uint32_t>(head + 8);
  const std::size_t definitions = load_le<std::uint32_t>(head + 12);
  const bool mark = definitions == kMark && (length == kMarkBytes || length == kOpeningMarkBytes);
  if (length > kPayloadBytesMax || length > bytes.size() - at - kRecordHeadBytes) return 0;
  if (definitions > length && !mark) return 0;
  const auto covered = bytes.subspan(at + 8, kRecordHeadBytes - 8 + length);
  return codec::crc32c(covered) == load_le<std::uint32_t>(head + 4) ? kRecordHeadBytes + length : 0;
}

LogMark decode_mark(std::uint64_t after, std::span<const std::byte> payload) {
  LogMark mark{after, load_le<std::uint64_t>(payload.data()), load_le<std::uint64_t>(payload.data() + 8), {}};
  if (payload.size() == kOpeningMarkBytes) {
    const std::byte* at = payload.data() + kMarkBytes;
    mark.file = FileIdentity{load_le<std::uint64_t>(at),
                             load_le<std::uint64_t>(at + 8),
                             {load_le<std::uint64_t>(at + 16), load_le<std::uint64_t>(at + 24)}};
  }
  return mark;
}

}  // namespace

Result<SegmentReader> SegmentReader::open(std::span<const std::byte> bytes) {
  if (bytes.size() < kSegmentHeadBytes || is_torn_head(bytes.first(kSegmentHeadBytes))) return SegmentReader(bytes, 0);
  if (std::memcmp(bytes.data(), kLogMagic, sizeof kLogMagic) != 0) return fail(Code::corrupt, "it is not a varve log");
  const auto version = load_le<std::uint32_t>(bytes.data() + 8);
  if (version == 0 || version > kLogVersion) {
    return fail(Code::unsupported, "log version " + std::to_string(version) + "; this build reads versions 1 to " +
                                       std::to_string(kLogVersion));
  }
  return SegmentReader(bytes, version);
}

std::optional<LogRecord> SegmentReader::next() {
  const std::size_t size = good_record(bytes_, at_);
  if (size == 0) return std::nullopt;
  const std::size_t definitions = load_le<std::uint32_t>(bytes_.data() + at_ + 12);
  const auto payload = bytes_.subspan(at_ + kRecordHeadBytes, size - kRecordHeadBytes);
  LogRecord record;
  record.bytes = bytes_.subspan(at_, size);
  record.sequence = load_le<std::uint64_t>(bytes_.data() + at_ + 16);
  if (definitions == kMark) {
    record.mark = decode_mark(record.sequence, payload);
  } else {
    record.definitions = payload.first(definitions);
    record.rows = payload.subspan(definitions);
  }
  at_ += size;
  return record;
}

bool SegmentReader::skip() {
  std::byte magic[4];
  store_le(magic, kRecordMagic);
  while (++at_ < bytes_.size()) {
    const void* hit = ::memmem(bytes_.data() + at_, bytes_.size() - at_, magic, sizeof magic);
    if (hit == nullptr) break;
    at_ = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - bytes_.data());
    if (good_record(bytes_, at_) > 0) return true;
  }
  at_ = bytes_.size();
  return false;
}

bool SegmentReader::has_whole_opening(std::span<const std::byte> bytes) {
  constexpr std::size_t kOpeningBytes = kSegmentHeadBytes + kMarkRecordBytesMax;
  return bytes.size() >= kOpeningBytes && bytes[kOpeningBytes - 1] != std::byte{0};
}

bool SegmentReader::blank() const { return all_zero(bytes_.subspan(at_).first(std::min(left(), kRecordHeadBytes))); }

}  // namespace varve::engine::rocksdb
