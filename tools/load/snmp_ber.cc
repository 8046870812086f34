// SPDX-License-Identifier: Apache-2.0
#include "tools/load/snmp_ber.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace varve::load {

Oid::Oid(std::initializer_list<std::uint32_t> list) : size(list.size()) { std::ranges::copy(list, parts.begin()); }

std::uint8_t* BerWriter::room(std::size_t size) {
  if (bytes_.size() - size_ < size) bytes_.resize(std::max<std::size_t>(2 * bytes_.size() + size, 2048));
  return bytes_.data() + size_;
}

void BerWriter::raw(const void* bytes, std::size_t size) {
  if (size == 0) return;
  std::memcpy(room(size), bytes, size);
  size_ += size;
}

std::size_t BerWriter::open(BerTag tag) {
  std::uint8_t* at = room(2);
  at[0] = static_cast<std::uint8_t>(tag);
  at[1] = 0;
  return size_ += 2;
}

void BerWriter::close(std::size_t opened) {
  const std::size_t length = size_ - opened;
  if (length < 128) {
    bytes_[opened - 1] = static_cast<std::uint8_t>(length);
    return;
  }
  // The long form needs more bytes than the one that open() left.
  const std::size_t more = length < 256 ? 1 : 2;
  room(more);
  std::memmove(bytes_.data() + opened + more, bytes_.data() + opened, length);
  bytes_[opened - 1] = static_cast<std::uint8_t>(0x80 | more);
  if (more == 2) bytes_[opened] = static_cast<std::uint8_t>(length >> 8);
  bytes_[opened + more - 1] = static_cast<std::uint8_t>(length);
  size_ += more;
}

void BerWriter::signed_number(BerTag tag, std::int64_t value) {
  // As few bytes as keep the sign.
  int count = 1;
  while (count < 8 && value >> (8 * count - 1) != (value < 0 ? -1 : 0)) ++count;
  std::uint8_t* at = room(10);
  *at++ = static_cast<std::uint8_t>(tag);
  *at++ = static_cast<std::uint8_t>(count);
  for (int i = count - 1; i >= 0; --i) *at++ = static_cast<std::uint8_t>(value >> (8 * i));
  size_ += 2 + static_cast<std::size_t>(count);
}

void BerWriter::unsigned_number(BerTag tag, std::uint64_t value) {
  // One bit more than it has, so that it does not look negative: of 64 bits 9 bytes.
  const int count = static_cast<int>(std::bit_width(value)) / 8 + 1;
  std::uint8_t* at = room(11);
  *at++ = static_cast<std::uint8_t>(tag);
  *at++ = static_cast<std::uint8_t>(count);
  if (count == 9) *at++ = 0;
  for (int i = std::min(count, 8) - 1; i >= 0; --i) *at++ = static_cast<std::uint8_t>(value >> (8 * i));
  size_ += 2 + static_cast<std::size_t>(count);
}

void BerWriter::octets(std::string_view text) {
  const auto at = open(BerTag::octets);
  raw(text.data(), text.size());
  close(at);
}

void BerWriter::empty(BerTag tag) { open(tag); }

void BerWriter::part(std::uint32_t value) {
  std::uint8_t* at = room(5);
  std::size_t count = 0;
  for (int shift = 28; shift > 0; shift -= 7) {
    if (value >> shift != 0) at[count++] = static_cast<std::uint8_t>(0x80 | (value >> shift & 0x7f));
  }
  at[count++] = static_cast<std::uint8_t>(value & 0x7f);
  size_ += count;
}

void BerWriter::parts(std::span<const std::uint32_t> oid) {
  // 40 times the first and the second part; every name has two at least.
  part((oid.empty() ? 0 : oid[0] * 40) + (oid.size() < 2 ? 0 : oid[1]));
  for (std::size_t i = 2; i < oid.size(); ++i) part(oid[i]);
}

void BerWriter::object(const Oid& oid) {
  const auto at = open(BerTag::object);
  parts(oid.view());
  close(at);
}

void BerWriter::object(std::span<const std::uint8_t> prefix, std::uint32_t row) {
  const auto at = open(BerTag::object);
  raw(prefix.data(), prefix.size());
  part(row);
  close(at);
}

bool BerReader::next(BerTag& tag, BerReader& content) {
  if (rest_.size() < 2) return false;
  std::size_t length = rest_[1], header = 2;
  if ((length & 0x80) != 0) {
    const std::size_t count = length & 0x7f;
    if (count == 0 || count > 4 || rest_.size() < 2 + count) return false;
    length = 0;
    for (std::size_t i = 0; i < count; ++i) length = length << 8 | rest_[2 + i];
    header += count;
  }
  if (rest_.size() - header < length) return false;
  tag = static_cast<BerTag>(rest_[0]);
  content = BerReader(rest_.subspan(header, length));
  rest_ = rest_.subspan(header + length);
  return true;
}

bool BerReader::element(BerTag wanted, BerReader& content) {
  BerTag tag{};
  return next(tag, content) && tag == wanted;
}

bool BerReader::integer(std::int64_t& value) {
  BerReader content;
  if (!element(BerTag::integer, content) || content.rest_.empty() || content.rest_.size() > 8) return false;
  value = (content.rest_[0] & 0x80) != 0 ? -1 : 0;
  for (const auto byte : content.rest_) {
    value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 8 | byte);
  }
  return true;
}

bool BerReader::octets(std::string_view& text) {
  BerReader content;
  if (!element(BerTag::octets, content)) return false;
  text = {reinterpret_cast<const char*>(content.rest_.data()), content.rest_.size()};
  return true;
}

bool BerReader::object(Oid& oid) {
  BerReader content;
  if (!element(BerTag::object, content) || content.rest_.empty() || (content.rest_.back() & 0x80) != 0) return false;
  oid.size = 0;
  std::uint64_t value = 0;
  for (const auto byte : content.rest_) {
    value = value << 7 | (byte & 0x7f);
    if (value > 0xffffffff) return false;
    if ((byte & 0x80) != 0) continue;
    if (oid.size == 0) {
      const auto first = std::min<std::uint64_t>(value / 40, 2);
      oid.push_back(static_cast<std::uint32_t>(first));
      value -= first * 40;
    }
    if (oid.size == Oid::kPartsMax) return false;
    oid.push_back(static_cast<std::uint32_t>(value));
    value = 0;
  }
  return true;
}

}  // namespace varve::load
