// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/empty_numbers.h"

#include <algorithm>

#include "snmp/session/ber_reader.h"

namespace varve::snmp::session {
namespace {

constexpr unsigned char kResponse = 0xa2, kObjectId = 0x06;
// INTEGER, Counter32, Gauge32, TimeTicks, Counter64
constexpr unsigned char kNumbers[] = {kInteger, 0x41, 0x42, 0x43, 0x46};

bool is_empty_number(std::string_view value) {
  return value.size() >= 2 && value[1] == 0 &&
         std::ranges::find(kNumbers, static_cast<unsigned char>(value[0])) != std::end(kNumbers);
}

}  // namespace

std::vector<std::size_t> empty_numbers(std::string_view datagram) {
  std::vector<std::size_t> out;
  const auto message = BerReader(datagram).take(kSequence);
  if (!message) return out;
  BerReader parts(*message);
  if (!parts.take_number() || !parts.take(kOctets)) return out;
  const auto pdu = parts.take(kResponse);
  if (!pdu) return out;
  BerReader fields(*pdu);
  if (!fields.take_number() || !fields.take_number() || !fields.take_number()) return out;
  const auto bindings = fields.take(kSequence);
  if (!bindings) return out;
  BerReader rest(*bindings);
  for (std::size_t place = 0;; ++place) {
    const auto binding = rest.take(kSequence);
    if (!binding) return out;
    BerReader inside(*binding);
    if (inside.take(kObjectId) && is_empty_number(inside.rest())) out.push_back(place);
  }
}

}  // namespace varve::snmp::session
