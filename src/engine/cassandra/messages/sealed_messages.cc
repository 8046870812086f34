// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/sealed_messages.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "chunk/bytes.h"
#include "codec/crc32c.h"
#include "engine/cassandra/messages/blob_bytes.h"

namespace varve::engine::cassandra {
namespace {

// With marks that are applied, and without; earlier releases read that one only.
constexpr unsigned kWithMarks = 2, kWithoutMarks = 1;
constexpr std::size_t kArrivalBytes = 16, kSealedBlockBytes = 36, kReplacedBytes = 20;

Status bad_sealed(const char* what) {
  return fail(Code::corrupt, std::string("the row of a slot of sealed messages ") + what);
}

auto block_order(const SealedBlock& block) { return std::tuple(block.first_us, block.name); }

void put_name(const BlockName& name, chunk::Bytes& out) {
  out.fixed(name.version);
  out.fixed(name.number);
}

BlockName take_name(chunk::Cursor& from) {
  BlockName name;
  name.version = from.fixed<std::int64_t>();
  name.number = from.fixed<std::uint32_t>();
  return name;
}

// How many follow that have so many bytes each; 0 where they do not fit.
std::size_t take_count(chunk::Cursor& from, std::size_t bytes_each) {
  const auto count = from.fixed<std::uint32_t>();
  if (count <= from.left() / bytes_each) return count;
  from.take(from.left() + 1);
  return 0;
}

void take_lists(chunk::Cursor& from, SealedMessages& out) {
  for (std::size_t left = take_count(from, kArrivalBytes); left > 0; --left) {
    Arrival arrival;
    arrival.us = from.fixed<std::int64_t>();
    arrival.source = from.fixed<std::int64_t>();
    out.beyond.insert(arrival);
  }
  for (std::size_t left = take_count(from, kSealedBlockBytes); left > 0; --left) {
    SealedBlock& block = out.blocks.emplace_back();
    block.name = take_name(from);
    block.sections = from.fixed<std::uint32_t>();
    block.messages = from.fixed<std::uint32_t>();
    block.first_us = from.fixed<std::int64_t>();
    block.last_us = from.fixed<std::int64_t>();
  }
  for (std::size_t left = take_count(from, kReplacedBytes); left > 0; --left) {
    ReplacedBlock& block = out.replaced.emplace_back();
    block.name = take_name(from);
    block.replaced_ms = from.fixed<std::int64_t>();
  }
}

}  // namespace

std::string encode_sealed_messages(const SealedMessages& sealed) {
  check(std::ranges::is_sorted(sealed.blocks, {}, block_order), "blocks of a slot are sorted");
  chunk::Bytes out;
  out.fixed(std::uint32_t{0});
  out.byte(sealed.applied.empty() ? kWithoutMarks : kWithMarks);
  out.fixed(sealed.version);
  out.fixed(sealed.published_ms);
  out.fixed(sealed.until_us);
  out.fixed(static_cast<std::uint32_t>(sealed.beyond.size()));
  for (const Arrival& arrival : sealed.beyond) {
    out.fixed(arrival.us);
    out.fixed(arrival.source);
  }
  out.fixed(static_cast<std::uint32_t>(sealed.blocks.size()));
  for (const SealedBlock& block : sealed.blocks) {
    put_name(block.name, out);
    out.fixed(block.sections);
    out.fixed(block.messages);
    out.fixed(block.first_us);
    out.fixed(block.last_us);
  }
  out.fixed(static_cast<std::uint32_t>(sealed.replaced.size()));
  for (const ReplacedBlock& block : sealed.replaced) {
    put_name(block.name, out);
    out.fixed(block.replaced_ms);
  }
  if (!sealed.applied.empty()) out.fixed(static_cast<std::uint32_t>(sealed.applied.size()));
  for (const std::int64_t mark : sealed.applied) out.fixed(mark);
  store_le(out.data(), codec::crc32c(out.view().subspan(4)));
  return blob_text(out.view());
}

Result<SealedMessages> decode_sealed_messages(std::string_view blob) {
  chunk::Cursor from(blob_bytes(blob));
  const auto crc = from.fixed<std::uint32_t>();
  if (!from.ok() || codec::crc32c(blob_bytes(blob).subspan(4)) != crc) {
    return fail(bad_sealed("has a wrong checksum").error());
  }
  const unsigned version = from.byte();
  if (from.ok() && version != kWithoutMarks && version != kWithMarks) {
    return fail(Code::unsupported, "a slot of sealed messages has version " + std::to_string(version));
  }
  SealedMessages out;
  out.version = from.fixed<std::int64_t>();
  out.published_ms = from.fixed<std::int64_t>();
  out.until_us = from.fixed<std::int64_t>();
  take_lists(from, out);
  for (std::size_t left = version == kWithMarks ? take_count(from, sizeof(std::int64_t)) : 0; left > 0; --left) {
    out.applied.insert(from.fixed<std::int64_t>());
  }
  if (!from.ok() || from.left() > 0) return fail(bad_sealed("is cut short or too long").error());
  if (!std::ranges::is_sorted(out.blocks, {}, block_order)) return fail(bad_sealed("has blocks in disorder").error());
  return out;
}

}  // namespace varve::engine::cassandra
