// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/v3_message.h"

#include "snmp/session/ber_reader.h"
#include "snmp/session/ber_writer.h"

namespace varve::snmp::session {
namespace {

constexpr std::uint32_t kUserModel = 3;
constexpr std::uint64_t kClockMost = 0x7fffffff;
constexpr unsigned kSigned = 1, kHidden = 2, kReportable = 4;
constexpr std::uint32_t kBytesMost = 65507;  // of a datagram

bool read_flags(std::string_view flags, V3Message& out) {
  if (flags.size() != 1) return false;
  const auto bits = static_cast<unsigned char>(flags[0]);
  out.wants_report = (bits & kReportable) != 0;
  switch (bits & (kSigned | kHidden)) {
    case 0: out.level = Level::no_auth; return true;
    case kSigned: out.level = Level::auth; return true;
    case kSigned | kHidden: out.level = Level::auth_priv; return true;
    default: return false;
  }
}

// Identifier, largest size, flags, security model.
bool read_header(std::string_view bytes, V3Message& out) {
  BerReader header(bytes);
  const auto id = header.take(kInteger);
  if (!id || id->empty() || id->size() > 8 || !header.take_number()) return false;
  const auto flags = header.take(kOctets);
  if (!flags || header.take_number() != kUserModel) return false;
  out.id = *id;
  return read_flags(*flags, out);
}

unsigned flags_of(const V3Message& message) {
  const unsigned level = message.level == Level::no_auth ? 0
                         : message.level == Level::auth  ? kSigned
                                                         : kSigned | kHidden;
  return level | (message.wants_report ? kReportable : 0);
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
  if (!engine->empty() && !is_engine_id(*engine)) return false;
  if (*boots > kClockMost || *time > kClockMost) return false;
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
  V3Message out;
  if (!read_header(*header, out) || !read_security(*security, out)) return std::nullopt;
  out.scoped = parts.rest();
  if (out.level == Level::auth_priv) {
    const auto hidden = parts.take(kOctets);
    if (!hidden) return std::nullopt;
    out.scoped = *hidden;
  }
  return out;
}

std::string write_v3_message(const V3Message& message) {
  const std::string header = ber(kSequence, ber(kInteger, message.id) + ber_number(kInteger, kBytesMost) +
                                                ber(kOctets, std::string(1, static_cast<char>(flags_of(message)))) +
                                                ber_number(kInteger, kUserModel));
  const std::string security =
      ber(kOctets, ber(kSequence, ber(kOctets, message.engine) + ber_number(kInteger, message.boots) +
                                      ber_number(kInteger, message.time) + ber(kOctets, message.user) +
                                      ber(kOctets, message.signature) + ber(kOctets, message.salt)));
  const std::string inside =
      message.level == Level::auth_priv ? ber(kOctets, message.scoped) : std::string(message.scoped);
  return ber(kSequence, ber_number(kInteger, 3) + header + security + inside);
}

std::optional<std::string_view> without_padding(std::string_view scoped) {
  const auto content = BerReader(scoped).take(kSequence);
  if (!content) return std::nullopt;
  return scoped.substr(0, static_cast<std::size_t>(content->data() + content->size() - scoped.data()));
}

std::string scoped_of(std::string_view engine, std::string_view pdu) {
  return ber(kSequence, ber(kOctets, engine) + ber(kOctets, "") + std::string(pdu));
}

std::optional<std::string_view> pdu_of(std::string_view scoped) {
  const auto content = BerReader(scoped).take(kSequence);
  if (!content) return std::nullopt;
  BerReader parts(*content);
  if (!parts.take(kOctets) || !parts.take(kOctets)) return std::nullopt;  // engine and name of the context
  return parts.rest();
}

}  // namespace varve::snmp::session
