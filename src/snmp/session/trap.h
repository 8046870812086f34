// SPDX-License-Identifier: Apache-2.0
// Traps: what agents say unasked (RFC 1157, RFC 3416), of v1, v2c and v3, and informs of v2c, which want an answer.
// Those of v3 are read by heard.h, because for them the receiver is the engine that counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "snmp/session/session.h"

namespace varve::snmp::session {

enum class Trap : std::uint8_t { cold_start, link_down, link_up, other };

// What a trap brings, beside its name and sysUpTime.
struct TrapValue {
  std::vector<Arc> name = {};
  Kind kind = Kind::null;
  std::string text = {};  // numbers in decimal, names and addresses dotted, octets as they came
};

struct TrapMessage {
  Trap kind = Trap::other;
  bool is_inform = false;
  std::vector<Arc> name = {};  // its snmpTrapOID; of v1 as RFC 3584 makes it
  std::vector<TrapValue> values = {};
  std::string answer = {};  // what acknowledges it; "": it is no inform
};

// nullopt: it is none, or not of whom this secret is: another community; another user, signature or level.
//
// In a trap of v3 the sender's engine is the authoritative one, so the user's keys are bound to the engine that the
// message names. Nothing is remembered of it, not even its clock: a trap that somebody sends again does what it did
// before, and whoever acts on traps does not act often. So no number of engines costs memory here, and what libsnmp
// knows of the agents that are polled stays as it is. Loop thread only.
std::optional<TrapMessage> read_trap(std::string_view datagram, const Secret& secret);

}  // namespace varve::snmp::session
