// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/engine_report.h"

#include "snmp/session/ber_reader.h"
#include "snmp/session/ber_writer.h"

namespace varve::snmp::session {
namespace {

constexpr unsigned char kGet = 0xa0, kReport = 0xa8;

std::string put_number(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return ber(kInteger, bytes);
}

}  // namespace

std::string engine_probe(std::uint32_t id) {
  const std::string empty = ber(kOctets, "");
  // msgID, msgMaxSize 65507, msgFlags reportable, msgSecurityModel USM
  const std::string header =
      ber(kSequence, put_number(id) + put_number(65507) + ber(kOctets, std::string_view("\x04", 1)) + put_number(3));
  // engine, boots, time, user, authentication, privacy
  const std::string security =
      ber(kOctets, ber(kSequence, empty + put_number(0) + put_number(0) + empty + empty + empty));
  const std::string pdu = ber(kGet, put_number(id) + put_number(0) + put_number(0) + ber(kSequence, ""));
  return ber(kSequence, put_number(3) + header + security + ber(kSequence, empty + empty + pdu));
}

std::optional<std::string> engine_of_report(std::string_view datagram, std::uint32_t id) {
  const auto message = BerReader(datagram).take(kSequence);
  if (!message) return std::nullopt;
  BerReader parts(*message);
  if (parts.take_number() != 3) return std::nullopt;
  const auto header = parts.take(kSequence);
  const auto security = parts.take(kOctets);
  const auto scoped = parts.take(kSequence);
  if (!header || !security || !scoped || BerReader(*header).take_number() != id) return std::nullopt;
  BerReader in_scope(*scoped);
  if (!in_scope.take(kOctets) || !in_scope.take(kOctets) || !in_scope.begins_with(kReport)) return std::nullopt;
  const auto usm = BerReader(*security).take(kSequence);
  if (!usm) return std::nullopt;
  const auto engine = BerReader(*usm).take(kOctets);
  if (!engine || !is_engine_id(*engine)) return std::nullopt;
  return std::string(*engine);
}

}  // namespace varve::snmp::session
