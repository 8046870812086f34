// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/v3_message.h"

#include "snmp/session/ber_reader.h"

namespace varve::snmp::session {
namespace {

constexpr std::uint64_t kUserModel = 3;
constexpr std::uint64_t kClockMost = 0x7fffffff;
constexpr unsigned kSigned = 1, kHidden = 2;

std::optional<Level> level_of(std::string_view flags) {
  if (flags.size() != 1) return std::nullopt;
  const unsigned bits = static_cast<unsigned char>(flags[0]) & (kSigned | kHidden);
  if (bits == kHidden) return std::nullopt;
  return bits == 0 ? Level::no_auth : bits == kSigned ? Level::auth : Level::auth_priv;
}

// Identifier, largest size, flags, security model.
std::optional<Level> read_header(std::string_view bytes) {
  BerReader header(bytes);
  if (!header.take_number() || !header.take_number()) return std::nullopt;
  const auto flags = header.take(kOctets);
  if (!flags || header.take_number() != kUserModel) return std::nullopt;
  return level_of(*flags);
}

bool read_security(std::string_view bytes, V3Message& out) {
  const auto content = BerReader(bytes).take(kSequence);
  if (!content) return false;
  BerReader security(*content);
  const auto engine = security.take(kOctets);
  const auto boots = security.take_number();
  const auto time = security.take_number();
  const auto user = security.take(kOctets);
  const auto signature = security.take(kOctets);
  const auto salt = security.take(kOctets);
  if (!engine || !boots || !time || !user || !signature || !salt) return false;
  if (!is_engine_id(*engine) || *boots > kClockMost || *time > kClockMost) return false;
  out.engine = *engine;
  out.boots = static_cast<std::uint32_t>(*boots);
  out.time = static_cast<std::uint32_t>(*time);
  out.user = *user;
  out.signature = *signature;
  out.salt = *salt;
  return true;
}

}  // namespace

std::optional<V3Message> read_v3_message(std::string_view datagram) {
  const auto content = BerReader(datagram).take(kSequence);
  if (!content) return std::nullopt;
  BerReader parts(*content);
  if (parts.take_number() != 3) return std::nullopt;
  const auto header = parts.take(kSequence);
  const auto security = parts.take(kOctets);
  if (!header || !security) return std::nullopt;
  const auto level = read_header(*header);
  V3Message out;
  if (!level || !read_security(*security, out)) return std::nullopt;
  out.level = *level;
  out.scoped = parts.rest();
  if (*level == Level::auth_priv) {
    const auto hidden = parts.take(kOctets);
    if (!hidden) return std::nullopt;
    out.scoped = *hidden;
  }
  return out;
}

std::optional<std::string_view> pdu_of(std::string_view scoped) {
  const auto content = BerReader(scoped).take(kSequence);
  if (!content) return std::nullopt;
  BerReader parts(*content);
  if (!parts.take(kOctets) || !parts.take(kOctets)) return std::nullopt;  // engine and name of the context
  return parts.rest();
}

}  // namespace varve::snmp::session
