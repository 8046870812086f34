// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/trap.h"

#include <algorithm>
#include <array>
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

std::optional<Trap> trap_of(const netsnmp_pdu& pdu) {
  if (pdu.command != SNMP_MSG_TRAP2 || pdu.variables == nullptr) return std::nullopt;
  const netsnmp_variable_list* const named = pdu.variables->next_variable;  // behind sysUpTime.0
  if (named == nullptr || named->type != ASN_OBJECT_ID) return std::nullopt;
  if (!std::ranges::equal(Name(named->name, named->name_length), kTrapName)) return std::nullopt;
  const Name trap(named->val.objid, named->val_len / sizeof(oid));
  if (trap.size() != std::size(kStandardTraps) + 1) return Trap::other;
  if (!std::ranges::equal(trap.first(std::size(kStandardTraps)), kStandardTraps)) return Trap::other;
  switch (trap.back()) {
    case kColdStart: return Trap::cold_start;
    case kLinkDown: return Trap::link_down;
    case kLinkUp: return Trap::link_up;
    default: return Trap::other;
  }
}

std::optional<Trap> read_pdu(u_char* at, std::size_t size, long version) {
  const Pdu pdu(snmp_pdu_create(0));
  if (pdu == nullptr) return std::nullopt;
  pdu->version = version;
  return snmp_pdu_parse(pdu.get(), at, &size) == 0 ? trap_of(*pdu) : std::nullopt;
}

std::optional<Trap> read_v2c(std::string bytes, const Credential& credential) {
  std::array<u_char, COMMUNITY_MAX_LEN> community{};
  std::size_t community_size = community.size(), size = bytes.size();
  long version = 0;
  u_char* const at = snmp_comstr_parse(unsigned_bytes(bytes), &size, community.data(), &community_size, &version);
  if (at == nullptr || version != SNMP_VERSION_2c) return std::nullopt;
  if (std::string_view(reinterpret_cast<const char*>(community.data()), community_size) != credential.community) {
    return std::nullopt;
  }
  return read_pdu(at, size, version);
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

std::optional<Trap> read_v3(std::string_view datagram, const Secret& secret) {
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

std::optional<Trap> read_trap(std::string_view datagram, const Secret& secret) {
  if (datagram.empty()) return std::nullopt;
  init_library();
  return secret.credential.version == Version::v3 ? read_v3(datagram, secret)
                                                  : read_v2c(std::string(datagram), secret.credential);
}

}  // namespace varve::snmp::session
