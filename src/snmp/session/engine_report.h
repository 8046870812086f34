// SPDX-License-Identifier: Apache-2.0
// How a v3 agent is asked for its engine id (RFC 3414, section 4): a message without a user and without names, which it
// refuses with a report that bears the id. libsnmp can do that, too, but waits for the answer where it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace varve::snmp::session {

// `id`: of the message, 31 bits.
std::string engine_probe(std::uint32_t id);

// The engine id in a report, if these bytes are the answer to that probe: 5 to 32 bytes. Not trusted: who lies here is
// found out by the keys.
std::optional<std::string> engine_of_report(std::string_view datagram, std::uint32_t id);

}  // namespace varve::snmp::session
