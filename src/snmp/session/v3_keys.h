// SPDX-License-Identifier: Apache-2.0
// Internal to session/: signs, hides and checks messages of v3 with a user's keys, which are bound to the authoritative
// engine that the message names. libsnmp's ciphers and hashes are used, and nothing that it remembers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "snmp/session/session.h"
#include "snmp/session/v3_message.h"

namespace varve::snmp::session {

// Of a credential whose level is signed. `message` are views of `datagram`.
bool is_signed(std::string_view datagram, const V3Message& message, const Secret& secret);
// Sets the signature of a datagram that has a place of its size. False: this libsnmp cannot.
bool sign(std::string& datagram, const Secret& secret);

// What is hidden in it, with padding behind. nullopt: it cannot be.
std::optional<std::string> unhide(const V3Message& message, const Secret& secret);
// `message` has the engine and its clock. `salt`: 8 bytes, that no other message had; of DES, the last 4.
std::optional<std::string> hide(std::string_view plain, const V3Message& message, const Secret& secret);

// How many bytes the salt and the signature of its messages have.
inline constexpr std::size_t kSaltBytes = 8;
std::size_t signature_bytes(const Secret& secret);

}  // namespace varve::snmp::session
