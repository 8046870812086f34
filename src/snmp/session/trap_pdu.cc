// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/trap_pdu.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>

#include "snmp/session/library.h"

namespace varve::snmp::session {
namespace {

constexpr Arc kTrapName[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};  // snmpTrapOID.0
constexpr Arc kStandardTraps[] = {1, 3, 6, 1, 6, 3, 1, 1, 5};   // snmpTraps, of SNMPv2-MIB
constexpr Arc kColdStart = 1, kLinkDown = 3, kLinkUp = 4;       // of these

struct Freed {
  void operator()(netsnmp_pdu* pdu) const { snmp_free_pdu(pdu); }
};
using Pdu = std::unique_ptr<netsnmp_pdu, Freed>;

Trap kind_of(Name trap) {
  if (trap.size() != std::size(kStandardTraps) + 1) return Trap::other;
  if (!std::ranges::equal(trap.first(std::size(kStandardTraps)), kStandardTraps)) return Trap::other;
  switch (trap.back()) {
    case kColdStart: return Trap::cold_start;
    case kLinkDown: return Trap::link_down;
    case kLinkUp: return Trap::link_up;
    default: return Trap::other;
  }
}

std::string dotted_text(Name name) {
  std::string out;
  for (const Arc arc : name) out += (out.empty() ? "" : ".") + std::to_string(arc);
  return out;
}

std::string address_text(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += (out.empty() ? "" : ".") + std::to_string(static_cast<unsigned char>(byte));
  return out;
}

std::string text_of(const Binding& binding) {
  switch (binding.kind) {
    case Kind::integer: return std::to_string(static_cast<std::int64_t>(binding.number));
    case Kind::counter32:
    case Kind::gauge32:
    case Kind::ticks:
    case Kind::counter64: return std::to_string(binding.number);
    case Kind::real: return std::to_string(std::bit_cast<double>(binding.number));
    case Kind::octets: return std::string(binding.octets);
    case Kind::address: return address_text(binding.octets);
    case Kind::object_id: return dotted_text(binding.oid);
    default: return {};
  }
}

// RFC 3584, section 3.1: of the generic ones their names in SNMPv2-MIB, of others the enterprise's, a zero and their
// number.
std::vector<Arc> name_of_v1(const netsnmp_pdu& pdu) {
  std::vector<Arc> out;
  if (pdu.trap_type >= 0 && pdu.trap_type < SNMP_TRAP_ENTERPRISESPECIFIC) {
    out.assign(std::begin(kStandardTraps), std::end(kStandardTraps));
    out.push_back(static_cast<Arc>(pdu.trap_type) + 1);
    return out;
  }
  if (pdu.enterprise != nullptr) out.assign(pdu.enterprise, pdu.enterprise + pdu.enterprise_length);
  out.push_back(0);
  out.push_back(static_cast<Arc>(pdu.specific_type));
  return out;
}

// nullopt: what stands first is not sysUpTime.0 and snmpTrapOID.0.
std::optional<std::vector<Arc>> take_name(const netsnmp_variable_list*& at) {
  if (at == nullptr) return std::nullopt;
  const netsnmp_variable_list* const named = at->next_variable;
  if (named == nullptr || named->type != ASN_OBJECT_ID) return std::nullopt;
  if (!std::ranges::equal(Name(named->name, named->name_length), kTrapName)) return std::nullopt;
  at = named->next_variable;
  const Name trap = binding_of(*named).oid;
  return std::vector<Arc>(trap.begin(), trap.end());
}

std::optional<TrapMessage> trap_of(const netsnmp_pdu& pdu) {
  const netsnmp_variable_list* at = pdu.variables;
  TrapMessage out;
  if (pdu.command == SNMP_MSG_TRAP) {
    out.name = name_of_v1(pdu);
  } else if (pdu.command == SNMP_MSG_TRAP2 || pdu.command == SNMP_MSG_INFORM) {
    auto name = take_name(at);
    if (!name) return std::nullopt;
    out.name = std::move(*name);
  } else {
    return std::nullopt;
  }
  out.kind = kind_of(out.name);
  out.is_inform = pdu.command == SNMP_MSG_INFORM;
  for (; at != nullptr; at = at->next_variable) {
    const Binding binding = binding_of(*at);
    out.values.push_back({{binding.name.begin(), binding.name.end()}, binding.kind, text_of(binding)});
  }
  return out;
}

}  // namespace

std::optional<TrapMessage> read_trap_pdu(std::string_view bytes, Version version) {
  init_library();
  const Pdu pdu(snmp_pdu_create(0));
  if (pdu == nullptr) return std::nullopt;
  pdu->version = version == Version::v1 ? SNMP_VERSION_1 : version == Version::v2c ? SNMP_VERSION_2c : SNMP_VERSION_3;
  std::string own(bytes);  // it writes into what it reads
  std::size_t size = own.size();
  if (snmp_pdu_parse(pdu.get(), reinterpret_cast<u_char*>(own.data()), &size) != 0) return std::nullopt;
  const bool is_of_v1 = pdu->command == SNMP_MSG_TRAP;
  if (is_of_v1 != (version == Version::v1)) return std::nullopt;
  return trap_of(*pdu);
}

}  // namespace varve::snmp::session
