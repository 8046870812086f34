// SPDX-License-Identifier: Apache-2.0
// BER as SNMP v1 and v2c use it (RFC 1157, RFC 3416): definite lengths, names of few parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace varve::load {

enum class BerTag : std::uint8_t {
  integer = 0x02,
  octets = 0x04,
  null = 0x05,
  object = 0x06,
  sequence = 0x30,
  counter32 = 0x41,
  gauge32 = 0x42,
  ticks = 0x43,
  counter64 = 0x46,
  no_such_object = 0x80,
  no_such_instance = 0x81,
  end_of_view = 0x82,
  get = 0xa0,
  get_next = 0xa1,
  response = 0xa2,
  set = 0xa3,
  get_bulk = 0xa5,
};

// An object identifier. One of more parts is not read; no table here has one.
struct Oid {
  static constexpr std::size_t kPartsMax = 40;

  std::array<std::uint32_t, kPartsMax> parts{};
  std::size_t size = 0;

  Oid() = default;
  Oid(std::initializer_list<std::uint32_t> list);
  [[nodiscard]] std::span<const std::uint32_t> view() const { return {parts.data(), size}; }
  void push_back(std::uint32_t part) { parts[size++] = part; }  // size < kPartsMax
};

// Appends to one buffer, which keeps its memory. Lengths are filled in when an element is closed.
class BerWriter {
 public:
  void clear() { size_ = 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {bytes_.data(), size_}; }
  void truncate(std::size_t size) { size_ = size; }  // to what it was
  void patch(std::size_t at, std::uint8_t byte) { bytes_[at] = byte; }

  // The place to close.
  std::size_t open(BerTag tag);
  void close(std::size_t opened);

  void signed_number(BerTag tag, std::int64_t value);
  void unsigned_number(BerTag tag, std::uint64_t value);
  void octets(std::string_view text);
  void empty(BerTag tag);
  void object(const Oid& oid);
  // An object of which all parts but the last are encoded already.
  void object(std::span<const std::uint8_t> prefix, std::uint32_t row);
  // The parts without a header, the first two as one byte.
  void parts(std::span<const std::uint32_t> oid);

 private:
  void part(std::uint32_t value);
  void raw(const void* bytes, std::size_t size);
  // Room for `size` more; size_ has to follow.
  std::uint8_t* room(std::size_t size);

  std::vector<std::uint8_t> bytes_;  // of which size_ are used
  std::size_t size_ = 0;
};

// Reads elements one behind the other. False, and nothing is consumed for good, where the bytes are not that.
class BerReader {
 public:
  explicit BerReader(std::span<const std::uint8_t> bytes = {}) : rest_(bytes) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  bool next(BerTag& tag, BerReader& content);
  bool element(BerTag wanted, BerReader& content);
  bool integer(std::int64_t& value);  // of at most 64 bits
  bool octets(std::string_view& text);
  bool object(Oid& oid);

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace varve::load
