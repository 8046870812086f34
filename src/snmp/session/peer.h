// SPDX-License-Identifier: Apache-2.0
// Peer: where an agent listens, as numbers. Names are resolved elsewhere, because that blocks.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace varve::snmp::session {

struct Peer {
  // Also of IPv4: a sockaddr_storage would be four times as large, and each device has two.
  sockaddr_in6 address = {};
  socklen_t size = 0;
  bool operator==(const Peer& other) const;
  [[nodiscard]] int family() const { return address.sin6_family; }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

// "10.0.0.1", "::1"; nullopt: no address but a name.
std::optional<Peer> peer_of_address(const std::string& host, std::uint16_t port);
// The first address of a name. Blocking. Error: not_found.
Result<Peer> resolve(const std::string& host, std::uint16_t port);
// The address alone; one of IPv4 as IPv6 has it (::ffff:10.0.0.1), so that both kinds of sockets say the same.
using HostBytes = std::array<unsigned char, 16>;
HostBytes host_bytes(const Peer& peer);
// The same address and port.
bool is_same_place(const Peer& one, const Peer& other);
// "10.0.0.1", "::1".
std::string host_of(const Peer& peer);
// "udp:10.0.0.1:161", "udp6:[::1]:161": as libsnmp wants it.
std::string to_text(const Peer& peer);

}  // namespace varve::snmp::session
