// SPDX-License-Identifier: Apache-2.0
// Texts from the network: any bytes become UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace varve::snmp::inventory {

// A byte that is part of no character becomes U+FFFD, a NUL goes; what does not fit into `bytes_max` is cut off behind
// a whole character.
std::string utf8_text(std::string_view bytes, std::size_t bytes_max = 4096);

}  // namespace varve::snmp::inventory
