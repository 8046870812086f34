// SPDX-License-Identifier: Apache-2.0
// Internal to session/: which values of an answer are numbers without a byte. libsnmp takes these for 0, and a counter
// that is 0 has begun anew.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace varve::snmp::session {

// The places of these bindings, of an answer of v1 or v2c; of any other datagram none.
std::vector<std::size_t> empty_numbers(std::string_view datagram);

}  // namespace varve::snmp::session
