// SPDX-License-Identifier: Apache-2.0
// Traps: what agents say unasked (RFC 3416, section 4.2.6), of v2c and v3. v1's and informs, which want an answer, are
// none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "snmp/session/session.h"

namespace varve::snmp::session {

enum class Trap : std::uint8_t { cold_start, link_down, link_up, other };

// nullopt: it is none, or not of whom this secret is: another community; another user, signature or level.
//
// In a trap of v3 the sender's engine is the authoritative one, so the user's keys are bound to the engine that the
// message names. Nothing is remembered of it, not even its clock: a trap that somebody sends again does what it did
// before, and whoever acts on traps does not act often. So no number of engines costs memory here, and what libsnmp
// knows of the agents that are polled stays as it is. Loop thread only.
std::optional<Trap> read_trap(std::string_view datagram, const Secret& secret);

}  // namespace varve::snmp::session
