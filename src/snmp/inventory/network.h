// SPDX-License-Identifier: Apache-2.0
// Network: a range of addresses of IPv4 or IPv6.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace varve::snmp::inventory {

// An address; one of IPv4 as IPv6 has it (::ffff:10.0.0.1).
using AddressBytes = std::array<unsigned char, 16>;

struct Network {
  AddressBytes address = {};
  unsigned bits = 0;  // of it that count, of 128
  bool operator==(const Network&) const = default;
  [[nodiscard]] bool contains(const AddressBytes& other) const;
};

// "10.0.0.0/8", "2001:db8::/32", "10.0.0.1"; bits behind the prefix do not matter. nullopt: it is none.
std::optional<Network> parse_network(const std::string& text);

}  // namespace varve::snmp::inventory
