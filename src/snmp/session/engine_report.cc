// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/engine_report.h"

#include <cstddef>

namespace varve::snmp::session {
namespace {

// Tags of ASN.1's basic encoding rules, and of SNMP.
constexpr unsigned char kInteger = 0x02, kOctets = 0x04, kSequence = 0x30, kGet = 0xa0, kReport = 0xa8;
constexpr std::size_t kEngineLeast = 5, kEngineMost = 32;  // RFC 3411, SnmpEngineID

std::string put(unsigned char tag, std::string_view content) {
  std::string out(1, static_cast<char>(tag));
  out += static_cast<char>(content.size());  // always below 128 here
  return out.append(content);
}

std::string put_number(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return put(kInteger, bytes);
}

// Reads one element after the other.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

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

 private:
  std::string_view rest_;
};

}  // namespace

std::string engine_probe(std::uint32_t id) {
  const std::string empty = put(kOctets, "");
  // msgID, msgMaxSize 65507, msgFlags reportable, msgSecurityModel USM
  const std::string header =
      put(kSequence, put_number(id) + put_number(65507) + put(kOctets, std::string_view("\x04", 1)) + put_number(3));
  // engine, boots, time, user, authentication, privacy
  const std::string security =
      put(kOctets, put(kSequence, empty + put_number(0) + put_number(0) + empty + empty + empty));
  const std::string pdu = put(kGet, put_number(id) + put_number(0) + put_number(0) + put(kSequence, ""));
  return put(kSequence, put_number(3) + header + security + put(kSequence, empty + empty + pdu));
}

std::optional<std::string> engine_of_report(std::string_view datagram, std::uint32_t id) {
  const auto message = Reader(datagram).take(kSequence);
  if (!message) return std::nullopt;
  Reader parts(*message);
  if (parts.take_number() != 3) return std::nullopt;
  const auto header = parts.take(kSequence);
  const auto security = parts.take(kOctets);
  const auto scoped = parts.take(kSequence);
  if (!header || !security || !scoped || Reader(*header).take_number() != id) return std::nullopt;
  Reader in_scope(*scoped);
  if (!in_scope.take(kOctets) || !in_scope.take(kOctets) || !in_scope.begins_with(kReport)) return std::nullopt;
  const auto usm = Reader(*security).take(kSequence);
  if (!usm) return std::nullopt;
  const auto engine = Reader(*usm).take(kOctets);
  if (!engine || engine->size() < kEngineLeast || engine->size() > kEngineMost) return std::nullopt;
  return std::string(*engine);
}

}  // namespace varve::snmp::session
