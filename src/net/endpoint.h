// SPDX-License-Identifier: Apache-2.0
// Internal to net/: addresses as text.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace varve::net {

struct Endpoint {
  boost::asio::ip::address address;
  std::uint16_t port = 0;
};

// address:port, [v6]:port or localhost:port. Errors: invalid.
Result<Endpoint> endpoint_of(const std::string& listen);

// An IPv4 address that a socket for both families shows as ::ffff:192.0.2.1 is 192.0.2.1.
std::string address_text(const boost::asio::ip::address& address);

}  // namespace varve::net
