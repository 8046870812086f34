// SPDX-License-Identifier: Apache-2.0
// Internal to session/: the inside of a trap or an inform.
#pragma once

#include <optional>
#include <string_view>

#include "snmp/session/trap.h"

namespace varve::snmp::session {

// The first bytes of an inform and of what acknowledges it.
inline constexpr unsigned char kInformTag = 0xa6, kResponseTag = 0xa2;

// nullopt: it is neither, or not of that version. Loop thread only.
std::optional<TrapMessage> read_trap_pdu(std::string_view bytes, Version version);

}  // namespace varve::snmp::session
