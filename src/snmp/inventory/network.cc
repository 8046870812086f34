// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/network.h"

#include <arpa/inet.h>

#include <charconv>

namespace varve::snmp::inventory {
namespace {

constexpr unsigned kBits = 128, kBitsOfV4 = 32;

}  // namespace

bool Network::contains(const AddressBytes& other) const {
  for (unsigned bit = 0; bit < bits; ++bit) {
    const auto mask = static_cast<unsigned char>(0x80U >> bit % 8);
    if (((address[bit / 8] ^ other[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

std::optional<Network> parse_network(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string host = text.substr(0, slash);
  Network out;
  unsigned most = kBits;
  if (::inet_pton(AF_INET, host.c_str(), out.address.data() + 12) == 1) {
    out.address[10] = out.address[11] = 0xff;
    most = kBitsOfV4;
  } else if (::inet_pton(AF_INET6, host.c_str(), out.address.data()) != 1) {
    return std::nullopt;
  }
  unsigned bits = most;
  if (slash != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data() + slash + 1, end, bits);
    if (error != std::errc() || behind != end || bits > most) return std::nullopt;
  }
  out.bits = kBits - most + bits;
  return out;
}

}  // namespace varve::snmp::inventory
