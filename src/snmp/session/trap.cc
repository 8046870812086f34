// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/trap.h"

#include <array>
#include <string>

#include "snmp/session/ber_reader.h"
#include "snmp/session/library.h"
#include "snmp/session/trap_pdu.h"
#include "snmp/session/v3_keys.h"
#include "snmp/session/v3_message.h"

namespace varve::snmp::session {
namespace {

std::optional<TrapMessage> read_community(std::string_view datagram, const Credential& credential) {
  std::string bytes(datagram);
  std::array<u_char, COMMUNITY_MAX_LEN> community{};
  std::size_t community_size = community.size(), size = bytes.size();
  long version = 0;
  auto* const begin = reinterpret_cast<u_char*>(bytes.data());
  const u_char* const at = snmp_comstr_parse(begin, &size, community.data(), &community_size, &version);
  if (at == nullptr || (version != SNMP_VERSION_1 && version != SNMP_VERSION_2c)) return std::nullopt;
  if (std::string_view(reinterpret_cast<const char*>(community.data()), community_size) != credential.community) {
    return std::nullopt;
  }
  const auto pdu = static_cast<std::size_t>(at - begin);
  auto trap = read_trap_pdu(datagram.substr(pdu, size), version == SNMP_VERSION_1 ? Version::v1 : Version::v2c);
  if (trap && trap->is_inform) {                    // acknowledged by itself, as a response
    trap->answer = datagram.substr(0, pdu + size);  // without what stands behind it
    trap->answer[pdu] = static_cast<char>(kResponseTag);
  }
  return trap;
}

std::optional<TrapMessage> read_v3(std::string_view datagram, const Secret& secret) {
  const Credential& credential = secret.credential;
  const auto message = read_v3_message(datagram);
  if (!message || !is_engine_id(message->engine)) return std::nullopt;
  if (message->user != credential.user || message->level != credential.level) return std::nullopt;
  std::string scoped(message->scoped);
  if (credential.level != Level::no_auth && !is_signed(datagram, *message, secret)) return std::nullopt;
  if (credential.level == Level::auth_priv) {
    auto plain = unhide(*message, secret);
    if (!plain) return std::nullopt;
    scoped = std::move(*plain);
  }
  const auto inner = pdu_of(scoped);
  auto trap = inner ? read_trap_pdu(*inner, Version::v3) : std::nullopt;
  return trap && trap->is_inform ? std::nullopt : trap;  // for one the sender is not the engine that counts
}

}  // namespace

std::optional<TrapMessage> read_trap(std::string_view datagram, const Secret& secret) {
  if (datagram.empty()) return std::nullopt;
  init_library();
  return secret.credential.version == Version::v3 ? read_v3(datagram, secret)
                                                  : read_community(datagram, secret.credential);
}

}  // namespace varve::snmp::session
