// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/hot_blobs.h"

#include "chunk/bytes.h"
#include "codec/compression.h"
#include "codec/crc32c.h"
#include "engine/cassandra/messages/blob_bytes.h"
#include "message/row.h"

namespace varve::engine::cassandra {
namespace {

constexpr unsigned kHeadVersion = 1;
constexpr unsigned kAsTheyAre = 0, kZstd = 1;

Status bad_hot(const char* what) { return fail(Code::corrupt, std::string("a hot row of messages ") + what); }

}  // namespace

std::string encode_hot_head(const HotHead& head) {
  chunk::Bytes out;
  out.byte(kHeadVersion);
  out.fixed(head.messages);
  out.fixed(head.bytes);
  out.fixed(head.first_us);
  out.fixed(head.last_us);
  return blob_text(out.view());
}

Result<HotHead> decode_hot_head(std::string_view blob) {
  chunk::Cursor from(blob_bytes(blob));
  const unsigned version = from.byte();
  if (from.ok() && version != kHeadVersion) {
    return fail(Code::unsupported, "a hot row of messages has version " + std::to_string(version));
  }
  HotHead head;
  head.messages = from.fixed<std::uint32_t>();
  head.bytes = from.fixed<std::uint32_t>();
  head.first_us = from.fixed<std::int64_t>();
  head.last_us = from.fixed<std::int64_t>();
  if (!from.ok() || from.left() > 0 || head.first_us > head.last_us) return fail(bad_hot("has a bad head").error());
  return head;
}

std::string encode_hot_messages(std::string_view rows) {
  std::string packed;
  const bool pays = codec::compress(codec::Coding::zstd, rows, packed) && packed.size() < rows.size() - rows.size() / 8;
  chunk::Bytes out;
  out.fixed(std::uint32_t{0});
  out.byte(pays ? kZstd : kAsTheyAre);
  out.add(blob_bytes(pays ? std::string_view(packed) : rows));
  store_le(out.data(), codec::crc32c(out.view().subspan(4)));
  return blob_text(out.view());
}

Status decode_hot_messages(std::string_view value, const HotHead& head, std::string& rows) {
  chunk::Cursor from(blob_bytes(value));
  const auto crc = from.fixed<std::uint32_t>();
  if (!from.ok() || codec::crc32c(blob_bytes(value).subspan(4)) != crc) return bad_hot("has a wrong checksum");
  const unsigned coding = from.byte();
  if (!from.ok() || coding > kZstd) return bad_hot("is in a form that this build does not know");
  const std::string_view body = value.substr(5);
  if (coding == kAsTheyAre) rows.assign(body);
  if (coding == kZstd && !codec::decompress(codec::Coding::zstd, body, head.bytes, rows)) {
    return bad_hot("cannot be unpacked");
  }
  const std::span<const std::byte> bytes = blob_bytes(rows);
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes.size(); ++count) {
    const std::size_t one = message::check_row(bytes.data() + at, bytes.data() + bytes.size());
    if (one == 0) return bad_hot("holds a message that is not well-formed");
    at += one;
  }
  if (count != head.messages || bytes.size() != head.bytes) return bad_hot("holds not what its head says");
  return {};
}

}  // namespace varve::engine::cassandra
