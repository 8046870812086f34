// SPDX-License-Identifier: Apache-2.0
#include "tools/load/snmp_message.h"

#include <algorithm>

namespace varve::load {
namespace {

bool parse_names(BerReader list, std::vector<Oid>& names) {
  std::size_t count = 0;
  while (!list.at_end()) {
    BerReader varbind, value;
    BerTag tag{};
    if (names.size() == count) names.emplace_back();
    if (!list.element(BerTag::sequence, varbind) || !varbind.object(names[count]) || !varbind.next(tag, value)) {
      return false;
    }
    ++count;
  }
  names.resize(count);
  return true;
}

}  // namespace

bool parse_snmp(std::span<const std::uint8_t> datagram, SnmpRequest& request) {
  BerReader outer(datagram), message, pdu, list;
  std::int64_t version = 0, id = 0, first = 0, second = 0;
  if (!outer.element(BerTag::sequence, message) || !message.integer(version) || version < 0 || version > 1 ||
      !message.octets(request.community) || !message.next(request.kind, pdu)) {
    return false;
  }
  request.version = static_cast<SnmpVersion>(version);
  const bool bulk = request.kind == BerTag::get_bulk && request.version != SnmpVersion::v1;
  if (!bulk && request.kind != BerTag::get && request.kind != BerTag::get_next) return false;
  if (!pdu.integer(id) || !pdu.integer(first) || !pdu.integer(second) || !pdu.element(BerTag::sequence, list)) {
    return false;
  }
  request.id = static_cast<std::int32_t>(id);
  request.non_repeaters = bulk ? static_cast<std::size_t>(std::max<std::int64_t>(first, 0)) : 0;
  request.repetitions = bulk ? static_cast<std::size_t>(std::max<std::int64_t>(second, 0)) : 1;
  return parse_names(list, request.names);
}

void SnmpAnswer::begin(std::int64_t version, std::string_view community, BerTag kind, std::int32_t id) {
  out_.clear();
  message_ = out_.open(BerTag::sequence);
  out_.signed_number(BerTag::integer, version);
  out_.octets(community);
  pdu_ = out_.open(kind);
  out_.signed_number(BerTag::integer, id);
  out_.signed_number(BerTag::integer, 0);
  error_ = out_.size() - 1;
  out_.signed_number(BerTag::integer, 0);
  list_ = out_.open(BerTag::sequence);
}

void SnmpAnswer::fail(SnmpError error, std::size_t index) {
  out_.patch(error_, static_cast<std::uint8_t>(error));
  out_.patch(error_ + 3, static_cast<std::uint8_t>(std::min<std::size_t>(index, 127)));
}

void SnmpAnswer::end() {
  out_.close(list_);
  out_.close(pdu_);
  out_.close(message_);
}

}  // namespace varve::load
