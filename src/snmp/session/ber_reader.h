// SPDX-License-Identifier: Apache-2.0
// BerReader: takes a message apart, element after element (ASN.1's basic encoding rules). Views; nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace varve::snmp::session {

inline constexpr unsigned char kInteger = 0x02, kOctets = 0x04, kSequence = 0x30;

// By its size (RFC 3411, SnmpEngineID).
constexpr bool is_engine_id(std::string_view bytes) { return bytes.size() >= 5 && bytes.size() <= 32; }

class BerReader {
 public:
  explicit BerReader(std::string_view bytes) : rest_(bytes) {}

  // The content of the next element, if it has this tag and is complete.
  std::optional<std::string_view> take(unsigned char tag) {
    if (rest_.size() < 2 || static_cast<unsigned char>(rest_[0]) != tag) return std::nullopt;
    std::size_t size = static_cast<unsigned char>(rest_[1]);
    std::size_t head = 2;
    if ((size & 0x80) != 0) {
      const std::size_t more = size & 0x7f;
      if (more == 0 || more > 4 || rest_.size() < head + more) return std::nullopt;
      size = 0;
      for (std::size_t i = 0; i < more; ++i) size = size << 8 | static_cast<unsigned char>(rest_[head + i]);
      head += more;
    }
    if (rest_.size() - head < size) return std::nullopt;
    const auto content = rest_.substr(head, size);
    rest_.remove_prefix(head + size);
    return content;
  }

  std::optional<std::uint64_t> take_number() {
    const auto content = take(kInteger);
    if (!content || content->empty() || content->size() > 8) return std::nullopt;
    std::uint64_t number = 0;
    for (const char c : *content) number = number << 8 | static_cast<unsigned char>(c);
    return number;
  }

  [[nodiscard]] bool begins_with(unsigned char tag) const {
    return !rest_.empty() && static_cast<unsigned char>(rest_[0]) == tag;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace varve::snmp::session
