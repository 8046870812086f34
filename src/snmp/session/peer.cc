// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/peer.h"

#include <netdb.h>

#include <array>
#include <cstring>
#include <utility>

namespace varve::snmp::session {
namespace {

std::optional<Peer> look_up(const std::string& host, std::uint16_t port, int flags, int& error) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) return std::nullopt;
  Peer peer;
  if (found->ai_addrlen > sizeof peer.address) {
    ::freeaddrinfo(found);
    error = EAI_FAMILY;
    return std::nullopt;
  }
  std::memcpy(&peer.address, found->ai_addr, found->ai_addrlen);
  peer.size = found->ai_addrlen;
  ::freeaddrinfo(found);
  return peer;
}

// Host and port.
std::pair<std::string, std::string> numbers_of(const Peer& peer) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(peer.get(), peer.size, host.data(), host.size(), port.data(), port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV | NI_DGRAM) != 0) {
    return {};
  }
  return {host.data(), port.data()};
}

}  // namespace

bool Peer::operator==(const Peer& other) const {
  return size == other.size && std::memcmp(&address, &other.address, size) == 0;
}

std::optional<Peer> peer_of_address(const std::string& host, std::uint16_t port) {
  int error = 0;
  return look_up(host, port, AI_NUMERICHOST | AI_NUMERICSERV, error);
}

Result<Peer> resolve(const std::string& host, std::uint16_t port) {
  int error = 0;
  const auto peer = look_up(host, port, AI_NUMERICSERV, error);
  if (!peer) return fail(Code::not_found, "'" + host + "' has no address: " + ::gai_strerror(error));
  return *peer;
}

HostBytes host_bytes(const Peer& peer) {
  HostBytes out{};
  if (peer.family() == AF_INET6) {
    std::memcpy(out.data(), &peer.address.sin6_addr, out.size());
  } else {
    out[10] = out[11] = 0xff;
    std::memcpy(out.data() + 12, &reinterpret_cast<const sockaddr_in*>(peer.get())->sin_addr, 4);
  }
  return out;
}

// The port is where IPv4 has it, too.
bool is_same_place(const Peer& one, const Peer& other) {
  return one.address.sin6_port == other.address.sin6_port && host_bytes(one) == host_bytes(other);
}

std::string host_of(const Peer& peer) { return numbers_of(peer).first; }

std::string to_text(const Peer& peer) {
  const auto [host, port] = numbers_of(peer);
  if (peer.family() == AF_INET6) return "udp6:[" + host + "]:" + port;
  return "udp:" + host + ":" + port;
}

}  // namespace varve::snmp::session
