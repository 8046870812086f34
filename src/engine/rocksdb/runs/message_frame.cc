// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/message_frame.h"

#include "base/bytes.h"
#include "base/check.h"
#include "codec/compression.h"
#include "codec/crc32c.h"
#include "codec/lz4.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint32_t kFrameVersion = 2;
constexpr std::uint32_t kZstdVersion = 1;  // was written until LZ4 came
constexpr std::size_t kFrameHeadBytes = 32;
constexpr std::size_t kFrameBytesMax = kFrameBytes + message::kRowBytesMax;

std::span<const std::byte> covered(std::string_view frame) {
  return std::as_bytes(std::span(frame)).subspan(sizeof(std::uint32_t));
}

Status check_head(std::string_view frame) {
  if (frame.size() < kFrameHeadBytes || codec::crc32c(covered(frame)) != load_le<std::uint32_t>(frame.data())) {
    return fail(Code::corrupt, "a frame of messages is damaged");
  }
  if (const auto version = load_le<std::uint32_t>(frame.data() + 4);
      version != kFrameVersion && version != kZstdVersion) {
    return fail(Code::corrupt,
                "a frame of messages has version " + std::to_string(version) + "; this build reads versions 1 and 2");
  }
  return {};
}

Status decompress(std::string_view frame, std::string& out) {
  const std::string_view packed = frame.substr(kFrameHeadBytes);
  if (load_le<std::uint32_t>(frame.data() + 4) == kZstdVersion) {
    return codec::decompress(codec::Coding::zstd, packed, kFrameBytesMax, out);
  }
  const std::size_t bytes = load_le<std::uint32_t>(frame.data() + 12);
  if (bytes > kFrameBytesMax) return fail(Code::corrupt, "a frame of messages says that it is too large");
  return codec::decompress_lz4(packed, bytes, out);
}

Status check_rows(std::string_view raw, std::size_t bytes, std::size_t messages) {
  if (raw.size() != bytes) return fail(Code::corrupt, "a frame of messages has another size than it says");
  const auto rows = std::as_bytes(std::span(raw));
  std::size_t count = 0;
  for (const std::byte *at = rows.data(), *const end = at + rows.size(); at != end; ++count) {
    const std::size_t size = message::check_row(at, end);
    if (size == 0) return fail(Code::corrupt, "a frame of messages holds a malformed row");
    at += size;
  }
  if (count == messages) return {};
  return fail(Code::corrupt, "a frame of messages holds another number of rows than it says");
}

}  // namespace

Result<std::string> encode_frame(std::span<const message::RowView> rows, std::string& raw) {
  check(!rows.empty(), "a frame holds something");
  raw.clear();
  for (const auto row : rows) raw.append(reinterpret_cast<const char*>(row.at), row.bytes());
  check(raw.size() <= kFrameBytesMax, "a frame is bounded");
  std::string out(kFrameHeadBytes, '\0');
  store_le(out.data() + 4, kFrameVersion);
  store_le(out.data() + 8, static_cast<std::uint32_t>(rows.size()));
  store_le(out.data() + 12, static_cast<std::uint32_t>(raw.size()));
  store_le(out.data() + 16, rows.front().time_us());
  store_le(out.data() + 24, rows.back().time_us());
  VARVE_RETURN_IF_ERROR(codec::compress_lz4(raw, out));
  store_le(out.data(), codec::crc32c(covered(out)));
  return out;
}

Result<FrameTimes> times_of(std::string_view frame) {
  VARVE_RETURN_IF_ERROR(check_head(frame));
  return FrameTimes{load_le<std::int64_t>(frame.data() + 16), load_le<std::int64_t>(frame.data() + 24)};
}

Status decode_frame(std::string_view frame, std::string& out) {
  out.clear();
  VARVE_RETURN_IF_ERROR(check_head(frame));
  Status status = decompress(frame, out);
  if (status)
    status = check_rows(out, load_le<std::uint32_t>(frame.data() + 12), load_le<std::uint32_t>(frame.data() + 8));
  if (!status) out.clear();
  return status;
}

}  // namespace varve::engine::rocksdb
