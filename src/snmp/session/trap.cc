// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/trap.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "snmp/session/library.h"
#include "snmp/session/v3_message.h"

namespace varve::snmp::session {
namespace {

constexpr Arc kTrapName[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};       // snmpTrapOID.0
constexpr Arc kStandardTraps[] = {1, 3, 6, 1, 6, 3, 1, 1, 5};        // snmpTraps, of SNMPv2-MIB
constexpr Arc kColdStart = 1, kLinkDown = 3, kLinkUp = 4;            // of these
constexpr std::size_t kDesBlock = 8, kSaltBytes = 8, kIvBytes = 16;  // DES takes the first half of an IV

struct Freed {
  void operator()(netsnmp_pdu* pdu) const { snmp_free_pdu(pdu); }
};
using Pdu = std::unique_ptr<netsnmp_pdu, Freed>;

const u_char* unsigned_bytes(std::string_view bytes) { return reinterpret_cast<const u_char*>(bytes.data()); }
u_char* unsigned_bytes(std::string& bytes) { return reinterpret_cast<u_char*>(bytes.data()); }

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
  for (; at != nullptr; at = at->next_variable) {
    const Binding binding = binding_of(*at);
    out.values.push_back({{binding.name.begin(), binding.name.end()}, binding.kind, text_of(binding)});
  }
  return out;
}

std::optional<TrapMessage> read_pdu(u_char* at, std::size_t size, long version) {
  const Pdu pdu(snmp_pdu_create(0));
  if (pdu == nullptr) return std::nullopt;
  pdu->version = version;
  if (snmp_pdu_parse(pdu.get(), at, &size) != 0) return std::nullopt;
  const bool is_of_v1 = pdu->command == SNMP_MSG_TRAP;
  if (is_of_v1 != (version == SNMP_VERSION_1)) return std::nullopt;
  if (pdu->command == SNMP_MSG_INFORM && version == SNMP_VERSION_3) return std::nullopt;
  return trap_of(*pdu);
}

std::optional<TrapMessage> read_community(std::string_view datagram, const Credential& credential) {
  std::string bytes(datagram);
  std::array<u_char, COMMUNITY_MAX_LEN> community{};
  std::size_t community_size = community.size(), size = bytes.size();
  long version = 0;
  u_char* const at = snmp_comstr_parse(unsigned_bytes(bytes), &size, community.data(), &community_size, &version);
  if (at == nullptr || (version != SNMP_VERSION_1 && version != SNMP_VERSION_2c)) return std::nullopt;
  if (std::string_view(reinterpret_cast<const char*>(community.data()), community_size) != credential.community) {
    return std::nullopt;
  }
  const auto pdu = static_cast<std::size_t>(at - unsigned_bytes(bytes));
  const bool is_inform = pdu < datagram.size() && static_cast<u_char>(datagram[pdu]) == SNMP_MSG_INFORM;
  auto trap = read_pdu(at, size, version);
  if (trap && is_inform) {  // acknowledged by itself, as a response
    trap->answer = datagram;
    trap->answer[pdu] = static_cast<char>(SNMP_MSG_RESPONSE);
  }
  return trap;
}

// A user's key for one engine.
std::optional<Keys::Key> bound_key(const Protocol& hash, std::string_view engine, const Keys::Key& key) {
  Keys::Key bound;
  bound.size = bound.bytes.size();
  if (generate_kul(hash.name, static_cast<u_int>(hash.length), unsigned_bytes(engine), engine.size(), key.bytes.data(),
                   key.size, bound.bytes.data(), &bound.size) != SNMPERR_SUCCESS) {
    return std::nullopt;
  }
  return bound;
}

// The signature is of the message with zeros in its place.
bool is_signed(std::string_view datagram, const V3Message& message, const Protocol& hash, const Secret& secret) {
  const auto key = bound_key(hash, message.engine, secret.keys.auth);
  if (!key) return false;
  std::string blank(datagram);
  std::memset(blank.data() + (message.signature.data() - datagram.data()), 0, message.signature.size());
  return sc_check_keyed_hash(hash.name, hash.length, key->bytes.data(), static_cast<u_int>(key->size),
                             unsigned_bytes(blank), static_cast<u_int>(blank.size()), unsigned_bytes(message.signature),
                             static_cast<u_int>(message.signature.size())) == SNMPERR_SUCCESS;
}

void put_number(u_char* to, std::uint32_t number) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<u_char>(number >> (24 - 8 * i));
}

// RFC 3414, section 8.1.1.1 (DES), and RFC 3826, section 3.1.2.1 (AES).
std::optional<std::string> unhide(const V3Message& message, const Protocol& hash, const Secret& secret) {
  const auto cipher = find_priv(secret.credential.priv);
  const auto key = bound_key(hash, message.engine, secret.keys.priv);
  if (!cipher || !key || message.salt.size() != kSaltBytes || message.scoped.empty()) return std::nullopt;
  const bool is_des = secret.credential.priv == "DES";
  if (is_des && message.scoped.size() % kDesBlock != 0) return std::nullopt;
  std::array<u_char, kIvBytes> iv{};
  const u_char* const salt = unsigned_bytes(message.salt);
  if (is_des) {
    for (std::size_t i = 0; i < kSaltBytes; ++i) iv[i] = salt[i] ^ key->bytes[kDesBlock + i];
  } else {
    put_number(iv.data(), message.boots);
    put_number(iv.data() + 4, message.time);
    std::memcpy(iv.data() + 8, salt, kSaltBytes);
  }
  std::string hidden(message.scoped), plain(hidden.size(), '\0');
  std::size_t size = plain.size();
  const int done = sc_decrypt(cipher->name, cipher->length, const_cast<u_char*>(key->bytes.data()),
                              static_cast<u_int>(key->size), iv.data(), is_des ? kDesBlock : kIvBytes,
                              unsigned_bytes(hidden), static_cast<u_int>(hidden.size()), unsigned_bytes(plain), &size);
  return done == SNMPERR_SUCCESS ? std::optional(std::move(plain)) : std::nullopt;
}

std::optional<TrapMessage> read_v3(std::string_view datagram, const Secret& secret) {
  const Credential& credential = secret.credential;
  const auto message = read_v3_message(datagram);
  if (!message || message->user != credential.user || message->level != credential.level) return std::nullopt;
  std::string scoped(message->scoped);
  if (credential.level != Level::no_auth) {
    const auto hash = find_auth(credential.auth);
    if (!hash || !is_signed(datagram, *message, *hash, secret)) return std::nullopt;
    if (credential.level == Level::auth_priv) {
      auto plain = unhide(*message, *hash, secret);
      if (!plain) return std::nullopt;
      scoped = std::move(*plain);
    }
  }
  const auto inner = pdu_of(scoped);
  if (!inner) return std::nullopt;
  std::string pdu(*inner);
  return read_pdu(unsigned_bytes(pdu), pdu.size(), SNMP_VERSION_3);
}

}  // namespace

std::optional<TrapMessage> read_trap(std::string_view datagram, const Secret& secret) {
  if (datagram.empty()) return std::nullopt;
  init_library();
  return secret.credential.version == Version::v3 ? read_v3(datagram, secret)
                                                  : read_community(datagram, secret.credential);
}

}  // namespace varve::snmp::session
